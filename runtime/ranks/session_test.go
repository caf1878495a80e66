package ranks

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/transporttest"
)

// TestOptionsMeet: the patience in the options holds from the rendezvous on.
func TestOptionsMeet(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := auth.NewSecret().WriteFile(secret); err != nil {
		t.Fatal(err)
	}
	root, err := transporttest.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"LOOPC_RANK": "0", "LOOPC_SIZE": "2", "LOOPC_ROOT": root, "LOOPC_SECRET_FILE": secret} {
		t.Setenv(name, value)
	}
	var s session
	if err := s.meet(t.Context(), &Options{Patience: 7 * time.Second}); err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if s.info.Patience != 7*time.Second || s.info.Meeting == 0 {
		t.Errorf("silent ranks are waited for %v, and absent ones %v", s.info.Patience, s.info.Meeting)
	}
}

// TestAbsent: the end of a caller's context names the ranks that have not come.
func TestAbsent(t *testing.T) {
	secret := auth.NewSecret()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	root, err := serve(listener, launch.Info{Size: 3, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := root.Members(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "ranks [0 1 2] have not come") {
		t.Errorf("%v", err)
	}
}
