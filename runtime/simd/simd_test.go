package simd

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

	"loopc/testdata/lacking"
)

// TestWideDivider compares the maker and the family with Linux's description of the processor.
func TestWideDivider(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" {
		lacking.Skip(t, "there is no /proc/cpuinfo of an amd64 processor to compare with")
	}
	family := 0
	if _, rest, found := bytes.Cut(info, []byte("\ncpu family\t: ")); found {
		fmt.Sscan(string(rest), &family)
	}
	if got, want := WideDivider(), bytes.Contains(info, []byte("AuthenticAMD")) && family >= 26; family == 0 || got != want {
		t.Errorf("a wide divider: %t, /proc/cpuinfo says %t: family %d", got, want, family)
	}
}

// TestFeatures compares with Linux's description of the processor.
func TestFeatures(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" {
		lacking.Skip(t, "there is no /proc/cpuinfo of an amd64 processor to compare with")
	}
	flags, _, _ := bytes.Cut(info[bytes.Index(info, []byte("\nflags")):], []byte("\n\n"))
	has := func(name string) bool { return bytes.Contains(flags, []byte(" "+name)) }
	if got, want := AVX2(), has("avx2") && has("fma ") && !race; got != want {
		t.Errorf("AVX2 is %t, /proc/cpuinfo says %t", got, want)
	}
	want := has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl") && has("fma ") && !race
	if got := AVX512(); got != want {
		t.Errorf("AVX512 is %t, /proc/cpuinfo says %t", got, want)
	}
}
