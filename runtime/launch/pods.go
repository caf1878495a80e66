package launch

import (
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"

	"loopc/runtime/transport/auth"
)

// An IndexedJob is a job for Kubernetes, with a pod for each rank.
type IndexedJob struct {
	Name   string // of the job and its other objects
	Ranks  int
	CPUs   int      // of each pod, 0: no request
	Image  string   // whose entry point is the program
	Claim  string   // a volume claim, mounted as the working folder; "" for none
	Args   []string // of the program
	Secret auth.Secret
}

const (
	podPort   = 20777        // where rank 0 listens, on its pod
	podUser   = 65532        // user and group of the program
	podData   = "/data"      // mount point of the claim
	podSecret = "/run/loopc" // mount point of the Secret
	podAddr   = "LOOPC_POD_IP"
)

// imageName matches names of images: registry, path, tag and digest.
var imageName = regexp.MustCompile(`^[a-z0-9]([a-zA-Z0-9._/:@-]*[a-zA-Z0-9])?$`)

// object is a Kubernetes object.
type object = map[string]any

// Manifest returns the objects in JSON for kubectl apply: an Indexed Job; a headless
// service, by which the pods find rank 0; a Secret, mounted as a file; and a network policy
// that admits only these pods. The manifest contains the secret, so whoever reads it can
// take part in the run.
//
// Pods run as an unprivileged user on a read-only file system. If one pod fails, the job
// fails.
func (j *IndexedJob) Manifest() ([]byte, error) {
	if err := CheckJobName(j.Name); err != nil {
		return nil, err
	}
	if len(j.Image) > 255 || !imageName.MatchString(j.Image) {
		return nil, fmt.Errorf("launch: %.100q is not the name of an image", j.Image)
	}
	if j.Claim != "" {
		if err := CheckJobName(j.Claim); err != nil {
			return nil, fmt.Errorf("launch: %.100q is not the name of a volume claim", j.Claim)
		}
	}
	labels := object{"app.kubernetes.io/instance": j.Name, "app.kubernetes.io/managed-by": "loopc"}
	meta := object{"name": j.Name, "labels": labels}
	these := object{"matchLabels": object{"app.kubernetes.io/instance": j.Name}}
	secret := object{
		"apiVersion": "v1", "kind": "Secret", "metadata": meta,
		"type": "Opaque", "stringData": object{"secret": j.Secret.Line()},
	}
	service := object{
		"apiVersion": "v1", "kind": "Service", "metadata": meta,
		"spec": object{
			"clusterIP": "None", "publishNotReadyAddresses": true, "selector": these["matchLabels"],
			"ports": []object{{"name": "ranks", "port": podPort}},
		},
	}
	policy := object{
		"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta,
		"spec": object{
			"podSelector": these, "policyTypes": []string{"Ingress"},
			"ingress": []object{{"from": []object{{"podSelector": these}}}},
		},
	}
	job := object{
		"apiVersion": "batch/v1", "kind": "Job", "metadata": meta,
		"spec": object{
			"completionMode": "Indexed", "completions": j.Ranks, "parallelism": j.Ranks, "backoffLimit": 0,
			"template": object{"metadata": object{"labels": labels}, "spec": j.pod()},
		},
	}
	text, err := json.MarshalIndent(object{"apiVersion": "v1", "kind": "List", "items": []object{secret, service, policy, job}}, "", "  ")
	return append(text, '\n'), err
}

// pod returns the template of the pods.
func (j *IndexedJob) pod() object {
	root := net.JoinHostPort(j.Name+"-0."+j.Name, strconv.Itoa(podPort))
	args := make([]string, len(j.Args), len(j.Args)+2)
	for k, arg := range j.Args {
		args[k] = strings.ReplaceAll(arg, "$", "$$") // $(NAME) would be a variable
	}
	container := object{
		"name": "rank", "image": j.Image, "args": append(args, "--listen", "$("+podAddr+")"),
		"env": []object{
			{"name": envSize, "value": strconv.Itoa(j.Ranks)},
			{"name": envRoot, "value": root},
			{"name": auth.EnvFile, "value": podSecret + "/secret"},
			{"name": podAddr, "valueFrom": object{"fieldRef": object{"fieldPath": "status.podIP"}}},
		},
		"securityContext": object{
			"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
			"capabilities": object{"drop": []string{"ALL"}},
		},
	}
	mounts := []object{{"name": "secret", "mountPath": podSecret, "readOnly": true}}
	volumes := []object{{"name": "secret", "secret": object{"secretName": j.Name, "defaultMode": 0o440}}}
	if j.Claim != "" {
		container["workingDir"] = podData
		mounts = append(mounts, object{"name": "data", "mountPath": podData})
		volumes = append(volumes, object{"name": "data", "persistentVolumeClaim": object{"claimName": j.Claim}})
	}
	if j.CPUs > 0 {
		cpus := strconv.Itoa(j.CPUs)
		container["resources"] = object{"requests": object{"cpu": cpus}, "limits": object{"cpu": cpus}}
	}
	container["volumeMounts"] = mounts
	return object{
		"restartPolicy": "Never", "subdomain": j.Name, "automountServiceAccountToken": false, "enableServiceLinks": false,
		"securityContext": object{
			"runAsNonRoot": true, "runAsUser": podUser, "runAsGroup": podUser, "fsGroup": podUser,
			"seccompProfile": object{"type": "RuntimeDefault"},
		},
		"containers": []object{container}, "volumes": volumes,
	}
}
