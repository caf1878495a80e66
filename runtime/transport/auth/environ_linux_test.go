package auth

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// environProbe has a copy of the test read the secret and tell where it can still be seen.
const environProbe = "LOOPC_TEST_ENVIRON"

// TestEnvironment requires that a process passes a secret of its environment on to none that
// it starts, and that the file of the kernel that still shows it is closed to other users.
func TestEnvironment(t *testing.T) {
	if os.Getenv(environProbe) != "" {
		probeEnvironment()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestEnvironment$")
	cmd.Env = append(os.Environ(), environProbe+"=1", EnvSecret+"="+NewSecret().Text())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const want = "kernel true, children false, mode 0400\n"
	if !strings.Contains(string(out), want) {
		t.Errorf("%s, want %s", out, want)
	}
}

// probeEnvironment is what the copy does.
func probeEnvironment() {
	secret, err := LoadSecret(FromEnvironment(nil)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	text := []byte(secret.Text())
	kernel, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		fmt.Println(err)
	}
	children, err := exec.Command("env").Output()
	if err != nil {
		fmt.Println(err)
	}
	info, err := os.Stat("/proc/self/environ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("kernel %t, children %t, mode %04o\n", bytes.Contains(kernel, text), bytes.Contains(children, text), info.Mode().Perm())
}
