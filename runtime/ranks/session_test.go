package ranks

import (
	"path/filepath"
	"testing"
	"time"

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
