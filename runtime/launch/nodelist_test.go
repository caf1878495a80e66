package launch

import (
	"strings"
	"testing"
)

// TestHostList expands lists as Slurm writes them.
func TestHostList(t *testing.T) {
	for text, want := range map[string]string{
		"n1":                    "n1",
		"n[1-3]":                "n1 n2 n3",
		"n[1-2,07,9-10],login":  "n1 n2 n07 n9 n10 login",
		"r[1-2]c[008-010].site": "r1c008.site r1c009.site r1c010.site r2c008.site r2c009.site r2c010.site",
		"a,b,c":                 "a b c",
	} {
		got, err := HostList(text)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s is %v, %v, want %s", text, got, err, want)
		}
	}
	for _, bad := range []string{"", ",", "n[1-", "n[]", "n[3-1]", "n[1-99999999]", "n[a]", "n[1]]", "-x", "a b", "a;b", "n[1-300][1-300]", "$(x)", "a\n"} {
		if got, err := HostList(bad); err == nil {
			t.Errorf("%q is %.100v", bad, got)
		}
	}
}

// FuzzHostList expands any text. There must be at least one host and not more than the limit, and
// the names of the hosts, joined by commas, must expand to the same hosts.
func FuzzHostList(f *testing.F) {
	f.Add("n[1-3,07],login")
	f.Add("a[1-2][3-4]")
	f.Add("[")
	f.Fuzz(func(t *testing.T, text string) {
		hosts, err := HostList(text)
		if err != nil {
			return
		}
		if len(hosts) == 0 || len(hosts) > maxHosts {
			t.Errorf("%q has %d hosts", text, len(hosts))
		}
		again, err := HostList(strings.Join(hosts, ","))
		if err != nil || strings.Join(again, ",") != strings.Join(hosts, ",") {
			t.Errorf("%q is not the list of its hosts: %v", text, err)
		}
	})
}
