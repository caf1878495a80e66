package explain

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"loopc/transform/plan"
)

// A pictured is a plan whose pictures have many labels, or long ones.
type pictured struct {
	name   string
	text   string
	params []int
	o      plan.Options
}

// pictures are plans of few and of many workers, loops and tiles.
func pictures(t *testing.T) []pictured {
	const edit = "editdistance/editdistance.loop"
	long := strings.NewReplacer("t", "the_index_of_the_iteration_in_time", "j", "the_index_of_the_column_that_is_next", "i", "the_row")
	five := "param N = 12\narray u[0..N+1, 0..N+1, 0..N+1, 0..N+1] float64 inout\nfor t = 1..N, i = 1..N, j = 1..N, k = 1..N, l = 1..N {\n" +
		"\tu[i,j,k,l] = 0.1*(u[i-1,j,k,l] + u[i,j-1,k,l] + u[i,j,k-1,l] + u[i,j,k,l-1] + u[i+1,j,k,l] + u[i,j+1,k,l] + u[i,j,k+1,l] + u[i,j,k,l+1])\n}\n"
	points := "param N = 200\narray a[-4..N+4, -4..N+4, -4..N+4] float64 inout\nfor i = 1..N, j = 1..N, k = 1..N {\n" +
		"\ta[i,j,k] = 0.1*(a[i-1,j-1,k-1] + a[i-2,j-2,k-2] + a[i-1,j,k] + a[i,j-1,k] + a[i,j,k-1] + a[i-1,j-1,k-2] + a[i-3,j-1,k-1])\n}\n"
	far := "param N = 3000\narray a[-1000..N, -1000..N] float64 inout\nfor i = 1..N, j = 1..N {\n" +
		"\ta[i,j] = 0.1*(a[i-1,j] + a[i-1,j-1] + a[i-2,j-1] + a[i-1,j-2] + a[i-100,j] + a[i,j-1])\n}\n"
	back := "param N = 500\narray a[0..N+1, 0..N+1] float64 inout\nfor i = N..1 step -1, j = 1..N {\n\ta[i,j] = 0.5*a[i+1,j] + 0.25*a[i,j-1]\n}\n"
	one := "param N = 1000000\narray a[0..N] float64 inout\nfor i = 1..N {\n\ta[i] = 0.5*a[i-1] + a[i]\n}\n"
	names := "param T, N = 10, 500\narray u[0..N+1, 0..N+1] float64 inout\nfor " + long.Replace("t = 1..T, i = 1..N, j = 1..N") + " {\n\t" +
		"u[" + long.Replace("i,j") + "] = u[" + long.Replace("i-1,j") + "] + u[" + long.Replace("i,j-1") + "] + u[" + long.Replace("i+1,j") + "]\n}\n"
	return []pictured{
		{"1x1", example(t, edit), []int{4000, 4000}, plan.Options{Ranks: 1, CPUs: 1}},
		{"2x2", example(t, edit), []int{4000, 4000}, plan.Options{Ranks: 2, CPUs: 2}},
		{"16x8", example(t, edit), []int{4000, 4000}, plan.Options{Ranks: 16, CPUs: 8}},
		{"16x8, three loops", example(t, "seidel/seidel.loop"), []int{100, 2000}, plan.Options{Ranks: 16, CPUs: 8}},
		{"16x8 in a square", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Grid: []int{4, 4, 1}, Mesh: []int{2, 4, 1}, Map: "k"}},
		{"64x1", example(t, edit), []int{4000, 4000}, plan.Options{Ranks: 64, CPUs: 1}},
		{"1x64", example(t, edit), []int{4000, 4000}, plan.Options{Ranks: 1, CPUs: 64}},
		{"300x2", example(t, edit), []int{9000, 9000}, plan.Options{Ranks: 300, CPUs: 2, Tile: []int{15, 15}}},
		{"1000 tiles", example(t, edit), []int{2000, 2000}, plan.Options{Ranks: 4, CPUs: 2, Tile: []int{63, 63}}},
		{"cyclic", example(t, edit), []int{4000, 4000}, plan.Options{Ranks: 4, CPUs: 3, Tile: []int{100, 100}, Assign: plan.Cyclic}},
		{"mirror", example(t, "adi/adi.loop"), []int{16, 200}, plan.Options{Ranks: 6, CPUs: 2, Assign: plan.Mirror, Tile: []int{4, 0, 10}}},
		{"cyclic square", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Grid: []int{3, 3, 1}, Mesh: []int{3, 4, 1}, Map: "k", Assign: plan.Cyclic, Tile: []int{2, 2, 64}}},
		{"triangle", example(t, "triangle/triangle.loop"), []int{600}, plan.Options{Ranks: 3, CPUs: 2, Tile: []int{40, 50}, Assign: plan.Cyclic}},
		{"long names", names, []int{10, 500}, plan.Options{Ranks: 4, CPUs: 2}},
		{"five loops", five, []int{12}, plan.Options{Ranks: 4, CPUs: 2}},
		{"a diagonal", points, []int{200}, plan.Options{Ranks: 4, CPUs: 2}},
		{"far", far, []int{3000}, plan.Options{Ranks: 2, CPUs: 1}},
		{"backward", back, []int{500}, plan.Options{Ranks: 3, CPUs: 2}},
		{"one loop", one, []int{1 << 40}, plan.Options{Ranks: 2, CPUs: 2, Tile: []int{1 << 36}}},
	}
}

var (
	svgs  = regexp.MustCompile(`(?s)<svg .*?</svg>`)
	texts = regexp.MustCompile(`<text ([^>]*)>(?:<title>[^<]*</title>)?([^<]*)</text>`)
	value = regexp.MustCompile(`([a-zA-Z-]+)="([^"]*)"`)
)

// attributes reads the attributes of an element.
func attributes(s string) map[string]string {
	out := map[string]string{}
	for _, m := range value.FindAllStringSubmatch(s, -1) {
		out[m[1]] = m[2]
	}
	return out
}

func numbers(t *testing.T, s string) (out []float64) {
	t.Helper()
	for f := range strings.FieldsSeq(s) {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

// lookAtLabels reads the texts of a picture as they are written, requires that none
// leaves it or stands on another, and returns how many there are.
func lookAtLabels(t *testing.T, name, svg string) int {
	t.Helper()
	view := numbers(t, attributes(svg[:strings.Index(svg, ">")])["viewBox"])
	var boxes []textBox
	var words []string
	for _, m := range texts.FindAllStringSubmatch(svg, -1) {
		a, word := attributes(m[1]), html.UnescapeString(m[2])
		at := point{}
		if a["x"] != "" {
			at.x = numbers(t, a["x"])[0]
		}
		at.y = numbers(t, a["y"])[0]
		b := boxOf(at, a["text-anchor"], a["class"], word)
		if turn, ok := strings.CutPrefix(a["transform"], "matrix("); ok {
			c := numbers(t, strings.TrimSuffix(turn, ")"))
			for k, q := range b {
				b[k] = point{c[0]*q.x + c[2]*q.y + c[4], c[1]*q.x + c[3]*q.y + c[5]}
			}
		}
		const rounded = 0.2 // coordinates have one digit behind the point
		lo, hi := extremes(b[:])
		if lo.x < view[0]-rounded || lo.y < view[1]-rounded || hi.x > view[0]+view[2]+rounded || hi.y > view[1]+view[3]+rounded {
			t.Errorf("%s: %q leaves its picture", name, word)
		}
		inner := b
		m := middle(b[:])
		for k, q := range b {
			inner[k] = point{q.x + rounded*(m.x-q.x)/max(1, hi.x-lo.x), q.y + rounded*2*(m.y-q.y)/max(1, hi.y-lo.y)}
		}
		for k, o := range boxes {
			if meet(inner[:], o[:]) {
				t.Errorf("%s: %q stands on %q", name, word, words[k])
			}
		}
		boxes, words = append(boxes, inner), append(words, word)
	}
	return len(boxes)
}

// TestLabelsApart looks at the labels of the pictures of a page, by the lengths that
// letters have at most: none leaves its picture, and no two overlap.
func TestLabelsApart(t *testing.T) {
	most := 0
	for _, c := range pictures(t) {
		s := subject(t, "nest.loop", c.text, c.params, c.o)
		_, _, page := render(t, s, nil)
		for k, svg := range svgs.FindAllString(page, -1) {
			most = max(most, lookAtLabels(t, fmt.Sprintf("%s, picture %d", c.name, k), svg))
		}
	}
	random := 0
	nests(t, 120, func(s *Subject, _ *rand.Rand) {
		if s.Plan.Empty {
			return
		}
		_, _, page := render(t, s, nil)
		for k, svg := range svgs.FindAllString(page, -1) {
			random += lookAtLabels(t, fmt.Sprintf("%s, picture %d", s.Plan, k), svg)
		}
	})
	if most < 200 || random < 1000 {
		t.Errorf("%d labels in the picture that has most, %d in those of random nests: the test proves little", most, random)
	}
}

// measure is a script that measures texts as the browser draws them, turned as they
// are: who stands on whom, and who leaves the picture.
const measure = `<script>
(function () {
	var out = { texts: 0, wrong: [] };
	function quad(text, svg) {
		var b = text.getBBox(), m = svg.getScreenCTM().inverse().multiply(text.getScreenCTM()), in_ = 0.5;
		return [[b.x + in_, b.y + in_], [b.x + b.width - in_, b.y + in_], [b.x + b.width - in_, b.y + b.height - in_], [b.x + in_, b.y + b.height - in_]].map(function (p) {
			return [m.a * p[0] + m.c * p[1] + m.e, m.b * p[0] + m.d * p[1] + m.f];
		});
	}
	function apart(a, b) {
		return a.some(function (p, k) {
			var q = a[(k + 1) % a.length], n = [q[1] - p[1], p[0] - q[0]];
			function along(o) { return o.map(function (r) { return n[0] * r[0] + n[1] * r[1]; }); }
			var u = along(a), v = along(b);
			return Math.max.apply(null, u) <= Math.min.apply(null, v) || Math.max.apply(null, v) <= Math.min.apply(null, u);
		});
	}
	document.querySelectorAll("svg").forEach(function (svg) {
		var v = svg.viewBox.baseVal, seen = [], of = svg.parentNode.dataset.of + ": ";
		svg.querySelectorAll("text").forEach(function (text) {
			var q = quad(text, svg), word = text.lastChild.textContent;
			out.texts++;
			if (q.some(function (p) { return p[0] < v.x || p[1] < v.y || p[0] > v.x + v.width || p[1] > v.y + v.height; })) out.wrong.push(of + word + " leaves its picture");
			seen.forEach(function (o) { if (!apart(q, o.q) && !apart(o.q, q)) out.wrong.push(of + word + " stands on " + o.word); });
			seen.push({ q: q, word: word });
		});
		var size = parseFloat(getComputedStyle(svg).width) / v.width * 9;
		if (size < 6) out.wrong.push(of + "letters of " + size + " px");
	});
	document.body.dataset.result = JSON.stringify(out);
})();
</script>`

// TestLabelsInBrowser measures the labels of the same pictures as Chromium draws
// them, in a wide column and in a narrow one.
func TestLabelsInBrowser(t *testing.T) {
	chromium := browser(t)
	var b strings.Builder
	want := 0
	for _, c := range pictures(t) {
		_, _, page := render(t, subject(t, "nest.loop", c.text, c.params, c.o), nil)
		for _, svg := range svgs.FindAllString(page, -1) {
			fmt.Fprintf(&b, "<figure class=\"scroll\" data-of=\"%s\">%s</figure>\n", c.name, svg)
			want += strings.Count(svg, "<text")
		}
	}
	for _, width := range []int{340, 1080} { // Chromium has no window as narrow as that
		name := filepath.Join(t.TempDir(), "pictures.html")
		head := fmt.Sprintf("<!DOCTYPE html><meta charset=\"utf-8\"><style>%s body { width: %dpx; }</style>\n", pageStyle, width)
		if err := os.WriteFile(name, []byte(head+b.String()+measure), 0o644); err != nil {
			t.Fatal(err)
		}
		dom, console := open(t, chromium, name, fmt.Sprintf("--window-size=%d,900", width+100), "--dump-dom")
		if console != "" {
			t.Errorf("the console has\n%s", console)
		}
		m := regexp.MustCompile(`data-result="([^"]*)"`).FindStringSubmatch(dom)
		if m == nil {
			t.Fatal("the script left nothing")
		}
		var got struct {
			Texts int
			Wrong []string
		}
		if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &got); err != nil {
			t.Fatal(err)
		}
		if got.Texts != want || want < 1000 {
			t.Errorf("%d texts were measured, of %d", got.Texts, want)
		}
		for _, w := range got.Wrong {
			t.Errorf("%d pixels wide, %s", width, w)
		}
	}
}

// TestNumbersComplete: either all whole tiles show their steps, or none does, also if steps have
// two digits or more.
func TestNumbersComplete(t *testing.T) {
	const flat = "param N\narray a[0..N, 0..N] float64 out\ninit a[i, j] = 1\nfor i = 1..N, j = 1..N {\n\ta[i,j] = a[i-1,j] + a[i,j-1]\n}\n"
	const cube = "param N\narray a[0..N, 0..N, 0..N] float64 out\ninit a[i, j, k] = 1\nfor i = 1..N, j = 1..N, k = 1..N {\n\ta[i,j,k] = a[i-1,j,k] + a[i,j-1,k] + a[i,j,k-1]\n}\n"
	number := regexp.MustCompile(`<text [^>]*>(\d+)</text>`)
	with, without, long := 0, 0, 0
	for n := 4; n <= 60; n += 2 {
		for _, c := range []struct {
			text  string
			tile  []int
			tiles int // whose numbers can be seen, on faces with steps
		}{{flat, []int{10, 10}, n * n}, {cube, []int{10, 10, 10}, n * n}} {
			s := subject(t, "nest.loop", c.text, []int{10 * n}, plan.Options{Ranks: 2, CPUs: 1, Tile: c.tile, Map: "i"})
			drawing, _, _ := spacePicture(s.Plan)
			svg := string(drawing)
			if c.text == flat {
				_, svg, _ = strings.Cut(svg, `<g class="numbers">`)
				svg, _, _ = strings.Cut(svg, "</g>")
			} else if n > 40 {
				continue // cells are blocks of tiles
			}
			found := map[bool]int{} // turned upright, or not: on top, or elsewhere
			for _, m := range number.FindAllStringSubmatch(svg, -1) {
				if strings.Contains(m[0], "tiny") || strings.Contains(m[0], "mini") {
					found[strings.Contains(m[0], "0.866 0.500 ")]++
					if len(m[1]) > 1 {
						long++
					}
				}
			}
			for _, count := range found {
				if count%c.tiles != 0 {
					t.Errorf("%d × %d tiles on a face: %d numbers", n, n, count)
				}
				with++
			}
			if len(found) == 0 {
				without++
			}
		}
	}
	if with < 15 || without < 10 || long < 1000 {
		t.Errorf("%d pictures with numbers, %d without, %d numbers of two digits: the test proves little", with, without, long)
	}
}
