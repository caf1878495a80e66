package launch

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"loopc/runtime/transport/auth"
)

var update = flag.Bool("update", false, "write the golden manifest anew")

// indexedJob is a job whose secret is known.
func indexedJob(t *testing.T) IndexedJob {
	t.Helper()
	secret, err := auth.ParseSecret(strings.Repeat("0123456789abcdef", 4))
	if err != nil {
		t.Fatal(err)
	}
	return IndexedJob{
		Name: "solver", Ranks: 4, CPUs: 2, Image: "registry.example:5000/team/solver:1.2", Claim: "results",
		Args: []string{"-p", "N=2", "--out", `u=$(LOOPC_ROOT) "it's".npy`}, Secret: secret,
	}
}

// TestManifest compares the manifest with a golden one.
func TestManifest(t *testing.T) {
	j := indexedJob(t)
	got, err := j.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/pods.json"
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")); !bytes.Equal(got, want) {
		t.Errorf("%s\nis not what %s has; -update writes that anew", got, golden)
	}
	if n := bytes.Count(got, []byte(j.Secret.Text())); n != 1 {
		t.Errorf("the secret is %d times in the manifest, want it in the Secret alone", n)
	}
}

// TestManifestRefuses has names that Kubernetes would refuse later, or take for
// something else.
func TestManifestRefuses(t *testing.T) {
	for name, change := range map[string]func(*IndexedJob){
		"job":   func(j *IndexedJob) { j.Name = "Solver" },
		"image": func(j *IndexedJob) { j.Image = "a image" },
		"tag":   func(j *IndexedJob) { j.Image = "image:" },
		"none":  func(j *IndexedJob) { j.Image = "" },
		"claim": func(j *IndexedJob) { j.Claim = "../x" },
	} {
		j := indexedJob(t)
		change(&j)
		if text, err := j.Manifest(); err == nil {
			t.Errorf("%s: %s", name, text)
		}
	}
}
