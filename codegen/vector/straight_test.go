package vector_test

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestStraightLanes: vectors of the straight part of a row fill registers with its own values, which subscripts and conditions do not
// widen; lets for subscripts are not computed there.
func TestStraightLanes(t *testing.T) {
	const given = "\narray a[0..N, 0..N] ELEM in\narray s[0..N] uint8 in\narray w[0..N] uint8 in\narray wide[0..N] int32 in\n"
	for _, c := range []struct {
		elem, body string
		lanes      int // of the first loop, with AVX-512
	}{
		{"uint8", "u[t,i,j] = u[t-1,i,j] | a[i,max(j - s[i], 0)]", 64},
		{"uint8", "u[t,i,j] = select(j >= s[i], max(a[i,j - s[i]], w[i]), u[t-1,i,j])", 64},
		{"uint8", "let k = max(j - int64(s[i]), 0)\nu[t,i,j] = u[t-1,i,j] | a[i,k]", 64},
		{"int16", "u[t,i,j] = u[t-1,i,j] + a[i,max(j - s[i], 0)]", 32},
		{"uint8", "u[t,i,j] = u[t-1,i,j] | uint8(int16(a[i,max(j - s[i], 0)])*3/5)", 32},
		{"uint8", "u[t,i,j] = u[t-1,i,j] + a[i,max(j - s[i], 0)]*uint8(wide[i])", 16},
		{"uint8", "u[t,i,j] = u[t-1,i,j] + a[i,max(j - s[i], 0)]*uint8(j)", 16},
		{"int32", "u[t,i,j] = u[t-1,i,j] + a[i,max(j - s[i], 0)]", 16},
		{"float64", "u[t,i,j] = u[t-1,i,j] + a[i,max(j - s[i], 0)]", 8},
	} {
		arrays := "array u[0..T, 0..N+1, 0..N+1] ELEM out\ninit u[t, i, j] = 1" + given
		_, text, _ := assembled(t, strings.ReplaceAll(arrays, "ELEM", c.elem), c.body)
		last := text[bytes.LastIndex(text, []byte("TEXT")):]
		if !bytes.Contains(last, []byte("\nstraight:")) {
			t.Errorf("%s, %s: no straight part", c.elem, c.body)
			continue
		}
		loop := last[bytes.Index(last, []byte("\nstraight:")):]
		loop = loop[:bytes.Index(loop, []byte("\nfew"))]
		step, vectors := regexp.MustCompile(`SUBQ +\$(0x[0-9a-f]+), `).FindSubmatch(loop), 4
		if n, err := strconv.ParseInt(string(step[1]), 0, 64); err != nil || int(n) != vectors*c.lanes {
			t.Errorf("%s, %s: %d vectors have %d lanes, want %d each:\n%s", c.elem, c.body, vectors, n, c.lanes, loop)
		}
		if n := bytes.Count(loop, []byte("VPMAXSD")); n > 0 {
			t.Errorf("%s, %s: the straight part computes %d subscripts", c.elem, c.body, n)
		}
	}
}

// TestBeyond: iterations beyond the conditions of all lookups that are loads look up nothing, and no vector has such iterations and others.
func TestBeyond(t *testing.T) {
	const given = "\narray a[0..N, 0..N] float64 in\narray s[0..N] int32 in\n"
	for value, want := range map[string]bool{
		"select(j >= s[i], a[i,j - s[i]], 0)":                                                  true,
		"select(j < s[i] || i == 3, 0, a[i,max(j - s[i], 0)])":                                 true,
		"select(j >= s[i], a[i,j - s[i]], 0) - select(j <= s[i] + 9, 2, a[i,j - s[i]])":        true,
		"select(j >= s[i], select(j < 2*s[i], a[i,j - s[i]], 1), 0)":                           true,
		"a[i,max(j - s[i], 0)]":                                                                false,
		"select(j >= s[i], a[i,j - s[i]], 0) + a[i,max(j - s[i], 0)]":                          false,
		"select(max(j, s[i]) >= 7, a[i,max(j - s[i], 0)], 0)":                                  false, // where the clamp returns s[i], both may be
		"select(j >= s[i], a[i,j - s[i]], 0) + select(u[t-1,i,j] > 3, a[i,max(j - s[i],0)],0)": false,
	} {
		_, text, _ := assembled(t, float64s+given, "u[t,i,j] = 0.5*u[t-1,i,j] + "+value)
		last := text[bytes.LastIndex(text, []byte("TEXT")):]
		begin, end := bytes.Index(last, []byte("\nbeyond:")), bytes.Index(last, []byte("\nnext:"))
		if beyond := begin >= 0; beyond != want {
			t.Errorf("%s: iterations beyond: %v, want %v", value, beyond, want)
		} else if beyond && regexp.MustCompile("GATHER|BLEND|KORTEST").Match(last[begin:end]) {
			t.Errorf("%s: iterations beyond test or gather:\n%s", value, last[begin:end])
		}
	}
}
