package npy

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/runtime/array"
)

// sample is a .npy file with six cells.
func sample(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	err := Stream(&b, "int32", []int{2, 3}, headerAlign, func(put func(cells []byte) error) error {
		return put([]byte("one.two.thr.fou.fiv.six."))
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archived writes an archive with the members, stored or deflated.
func archived(t *testing.T, method uint16, members map[string][]byte) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range members {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = m.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCopyMember copies members of archives: they are the files that were put in. Archives without the
// member, and damaged ones, are refused.
func TestCopyMember(t *testing.T) {
	want := sample(t)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		path := archived(t, method, map[string][]byte{"u.npy": want, "more": append(want, "rest"...), "short.npy": want[:len(want)-1], "text.npy": []byte("no array")})
		for name, fails := range map[string]string{
			"u": "", "u.npy": "", "more": "a.npz:more: something follows the (2, 3) cells of int32, which take 24 bytes",
			"short": "a.npz:short: truncated: 23 bytes of cells", "text": "a.npz:text: not a .npy file",
			"v": "a.npz has no member v: those of the archive are more, short, text, u",
		} {
			var got bytes.Buffer
			switch err := CopyMember(&got, path, name); {
			case fails != "":
				if err == nil || !strings.Contains(err.Error(), fails) {
					t.Errorf("method %d, member %s: %v, want an error with %q", method, name, err, fails)
				}
			case err != nil || !bytes.Equal(got.Bytes(), want):
				t.Errorf("method %d, member %s: %v, and the copy is %q", method, name, err, got.Bytes())
			}
		}
	}
	path := archived(t, zip.Store, map[string][]byte{"u.npy": want})
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, damaged := range map[string][]byte{
		"checksum":           bytes.Replace(b, []byte("six."), []byte("siy."), 1),
		"not a .npz archive": b[:len(b)-1],
	} {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := CopyMember(&bytes.Buffer{}, path, "u"); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("a damaged archive: %v, want an error with %q", err, what)
		}
	}
	if err := CopyMember(&bytes.Buffer{}, archived(t, zip.Store, nil), "u"); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Errorf("an empty archive: %v", err)
	}
}

// TestRaw writes a file without a header and reads it. Files of another length are refused.
func TestRaw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "u.raw")
	if FormOf(path) != Raw || FormOf("u.bin") != Raw || FormOf("u.npy") != Headed || FormOf("raw") != Headed {
		t.Error("the name does not tell the form")
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(Raw, f, "int32", []int{2, 3}); err != nil {
		t.Fatal(err)
	}
	w, err := Append(Raw, f, "int32", []int{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	cells := []byte("one.two.thr.fou.fiv.six.")
	if err := w.WriteAt(cells, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(Raw, f, "int32", []int{2, 4}); err == nil {
		t.Error("a file of another length was taken")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, cells) && !nativeBig {
		t.Fatalf("the file has %q, %v", b, err)
	}
	open := func(content []byte, shape ...int) (*File, error) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return OpenAs(Raw, f, path, "int32", shape)
	}
	file, err := open(cells, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	v, err := array.Make("int32", []int{1, 1}, []int{1, 2})
	if err == nil {
		err = file.ReadBox(&v, []int{0, 0})
	}
	if err != nil || string(v.Data) != "fiv.six." && !nativeBig {
		t.Errorf("the cells are %q, %v", v.Data, err)
	}
	for what, err := range map[string]error{
		`24 bytes, but (2, 4) cells of int32 take 32: it has cells without a header, as .astype("int32").tofile(...)`: second(open(cells, 2, 4)),
		"24 bytes, but (5,) cells of int32 take 20":                      second(open(cells, 5)),
		"begins as a .npy file does, and needs a name that ends in .npy": second(open(sample(t), 2, 3)),
	} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want an error with %q", err, what)
		}
	}
}

func second(_ *File, err error) error { return err }
