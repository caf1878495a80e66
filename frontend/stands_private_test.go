package frontend

import "testing"

// TestPrivateArrays divides nests whose private arrays have cells that the loops do not write.
func TestPrivateArrays(t *testing.T) {
	for name, body := range map[string]string{
		"triangle": `array w[0..N] float64
for i = 1..N {
	for k = 0..i {
		w[k] = a[i,k]*i
	}
	for k = 0..i {
		b[i,k] = w[i-k] + 1
	}
}`,
		"shared triangle": `array w[0..N] float64
for i = 1..N, j = 0..i {
	for k = 0..N {
		w[k] = a[i,k]*j
	}
	for k = 0..N {
		b[j,k] = w[N-k] + b[i,k]*0.5
	}
}`,
		"larger than written": `array w[0..N+1] float64
for i = 0..N {
	for k = 1..N {
		w[k] = a[i,k]*i
	}
	for k = 1..N {
		b[i,k] = w[N+1-k] + 1
	}
}`,
		"two dimensions": `array w[0..N, -1..N+1] float64
for i = 0..N {
	for k = 1..N, l = 0..k {
		w[k,l] = a[i,k]*l
	}
	for k = 1..N, l = 0..k {
		b[i,k] = b[i,k] + w[k,k-l]
	}
}`,
	} {
		p, diags := sameAsStands(t, name, "param N = 4\narray a[0..N+1, 0..N+1] float64 in\narray b[0..N+1, 0..N+1] float64 inout\n"+body+"\n")
		if p == nil {
			t.Errorf("%s: %v", name, diags)
		} else if len(p.Nests) < 2 {
			t.Errorf("%s is not divided", name)
		}
	}
}
