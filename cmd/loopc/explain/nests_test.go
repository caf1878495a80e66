package explain

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// severalPage returns the page of three nests, the last of which is empty.
func severalPage(t *testing.T) string {
	t.Helper()
	var all []NestPage
	for _, c := range []struct {
		file   string
		params []int
	}{{"seidel/seidel.loop", []int{20, 300}}, {"editdistance/editdistance.loop", []int{900, 700}}, {"editdistance/editdistance.loop", []int{0, 0}}} {
		s := subject(t, filepath.Base(c.file), example(t, c.file), c.params, plan.Options{Ranks: 4, CPUs: 2})
		s.Machine.Cores = 2 // CPUs take turns, which is warned of
		n := NestPage{Plan: s.Plan, Chart: s.predicted()}
		n.Report = New(s)
		all = append(all, n)
	}
	var b strings.Builder
	if err := Pages(&b, "<three>", "repeat t = 1..T\n\tseidel\n\teditdistance\n", all); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSeveral looks at the page of several nests: one document in the style of the
// page of one, with a part for each nest.
func TestSeveral(t *testing.T) {
	page := severalPage(t)
	for what, want := range map[string]int{
		"<iframe": 0, "<!DOCTYPE html>": 1, "<style>": 1, "<h1>": 1, `<details class="nest"`: 3, `class="spans"`: 2, "prefers-color-scheme: dark": 2,
		"&lt;three&gt;": 2, "repeat t = 1..T\n\tseidel": 1, "nothing to run": 1, "<code>loopc simulate --nodes 4</code>": 2,
	} {
		if got := strings.Count(page, what); got != want {
			t.Errorf("the page has %q %d times, want %d", what, got, want)
		}
	}
	if text := regexp.MustCompile(`(?s)<(script|pre).*?</(script|pre)>`).ReplaceAllString(page, ""); strings.Contains(text, "`") {
		t.Errorf("a backtick is left: %s", text[strings.Index(text, "`")-40:][:80])
	}
	for _, id := range regexp.MustCompile(` id="[^"]*"`).FindAllString(page, -1) {
		t.Errorf("%s would be there once for every nest", id)
	}
}

// TestProse checks that text between two backticks becomes code, and that a single one stays.
func TestProse(t *testing.T) {
	for s, want := range map[string]string{
		"run `a < b` now": "run <code>a &lt; b</code> now", "`x` and `y`": "<code>x</code> and <code>y</code>", "one ` alone": "one ` alone", "<b>": "&lt;b&gt;",
		"`x` and ` alone": "<code>x</code> and ` alone",
	} {
		if got := string(prose(s)); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// watched is a script that notes which texts a chart has when it is drawn last, and
// requires of them that none stands on another, or leaves the chart.
const watched = `<script>
var texts = new Map();
(function (proto) {
	var set = proto.setTransform, fill = proto.fillText;
	proto.setTransform = function () { texts.set(this.canvas, []); return set.apply(this, arguments); };
	proto.fillText = function (s, x, y) {
		var w = this.measureText(s).width, from = x - { left: 0, center: w / 2, right: w }[this.textAlign];
		texts.get(this.canvas).push({ s: s, from: from, to: from + w, y: y });
		return fill.apply(this, arguments);
	};
})(CanvasRenderingContext2D.prototype);
function look() {
	texts.forEach(function (list, canvas) {
		document.body.dataset.charts = +(document.body.dataset.charts || 0) + 1;
		list.forEach(function (a, k) {
			if (a.from < 0 || a.to > canvas.clientWidth) console.error(a.s + " leaves the chart");
			list.slice(0, k).forEach(function (b) {
				if (a.from < b.to && b.from < a.to && Math.abs(a.y - b.y) < 9) console.error(a.s + " stands on " + b.s);
			});
		});
	});
}
</script>`

// TestChartLabelsInBrowser looks at the labels of charts of many lengths of time,
// all of them and parts, in a wide column and in a narrow one.
func TestChartLabelsInBrowser(t *testing.T) {
	chromium := browser(t)
	var all []NestPage
	for k := range 10 {
		s := subject(t, "pipeline.loop", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Ranks: 16, CPUs: 8})
		n := NestPage{Plan: s.Plan, Chart: NewChart(s.Plan)}
		s.Prediction = cost.NewPredictor(s.Plan).Simulate(t.Context(), s.Machine, s.Link, nil)
		scale := float64(1+k) / s.Prediction.Seconds
		cost.NewPredictor(s.Plan).Simulate(t.Context(), s.Machine, s.Link, func(x cost.Span) {
			x.Begin, x.End, x.Step = x.Begin*scale, x.End*scale, x.Step*9973
			n.Chart.Add(x, false)
		})
		n.Report = New(s)
		all = append(all, n)
	}
	var b strings.Builder
	if err := Pages(&b, "charts", "", all); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{340, 1080} {
		after := `<script>
document.querySelectorAll("details.nest").forEach(function (n) { n.open = true; });
window.dispatchEvent(new Event("resize"));
look();
for (var k = 0; k < 6; k++) {
	document.querySelectorAll("[data-zoom='2']").forEach(function (b) { b.click(); });
	look();
}
</script>`
		page := strings.Replace(b.String(), "</head>", fmt.Sprintf("<style>body { width: %dpx; }</style>%s</head>", width, watched), 1)
		page = strings.Replace(page, "</body>", after+"</body>", 1)
		name := filepath.Join(t.TempDir(), "charts.html")
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		dom, console := open(t, chromium, name, fmt.Sprintf("--window-size=%d,900", width+100), "--dump-dom")
		if lines := strings.Split(console, "\n"); console != "" {
			t.Errorf("%d pixels wide: %d complaints, as\n%s", width, len(lines)-1, strings.Join(lines[:min(5, len(lines))], "\n"))
		}
		if !strings.Contains(dom, `data-charts="70"`) {
			t.Errorf("%d pixels wide: not all charts were looked at", width)
		}
	}
}

// TestSeveralInBrowser opens the page of several nests, opens the second nest, and
// requires a chart there, in both appearances.
func TestSeveralInBrowser(t *testing.T) {
	chromium := browser(t)
	const script = `<script>
document.querySelectorAll("details.nest")[1].open = true;
</script>`
	name := filepath.Join(t.TempDir(), "nests.html")
	if err := os.WriteFile(name, []byte(strings.Replace(severalPage(t), "</body>", script+"</body>", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	dom, console := open(t, chromium, name, "--dump-dom")
	if console != "" {
		t.Errorf("the console has\n%s", console)
	}
	charts := drawn.FindAllStringSubmatch(dom, -1)
	if len(charts) != 2 {
		t.Errorf("drawn are the charts %v", charts)
	}
	light := shoot(t, chromium, name)
	dark := shoot(t, chromium, name, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")
	if l, d := brightness(light), brightness(dark); l < 180 || d > 80 {
		t.Errorf("mean brightness is %.0f in light, %.0f in dark", l, d)
	}
	// The corner is the page's own background: a page without style is white.
	if v := dark.GrayAt(2, 2).Y; v > 40 {
		t.Errorf("the corner is %d bright in dark", v)
	}
}

var (
	variable = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`)
	uses     = regexp.MustCompile(`svg \.(axis|flow|dep|border|rank)(?:\.head)? \{[^}]*(?:stroke|fill): var\(--([a-z-]+)\)`)
)

// TestContrast: lines and texts of pictures must have enough contrast to their background, in light
// and in dark mode and on paper: by the ratio of WCAG 2.1, 3 for lines and 4.5 for text.
func TestContrast(t *testing.T) {
	blocks := strings.Split(pageStyle, ":root")
	if len(blocks) != 4 {
		t.Fatalf("%d sets of colors", len(blocks)-1)
	}
	lines := uses.FindAllStringSubmatch(pageStyle, -1)
	if len(lines) < 7 {
		t.Fatalf("only these lines are found: %v", lines)
	}
	for k, block := range blocks[1:] {
		name := [3]string{"light", "dark", "paper"}[k]
		colors := map[string]shade{}
		for _, m := range variable.FindAllStringSubmatch(block, -1) {
			colors[m[1]] = colorOf(t, m[2])
		}
		check := func(a, b string, least float64) {
			x, ok := colors[a]
			y, too := colors[b]
			if !ok || !too {
				t.Fatalf("%s: no color %s or %s", name, a, b)
			}
			if r := contrast(x, y); r < least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %g", name, a, b, r, least)
			}
		}
		for _, m := range lines {
			if m[2] != "soft" { // what a rank is filled with
				check(m[2], "card", 3)
			}
		}
		for _, text := range []string{"ink", "muted"} {
			for _, under := range []string{"card", "page", "soft"} {
				check(text, under, 4.5)
			}
		}
		check("card", "compute", 4.5) // numbers of CPUs
		check("warn", "warn-page", 4.5)
	}
	for step := range 101 {
		for _, light := range []float64{0.80, 0.92, 1, 1.06} {
			c := stepShade(float64(step) / 100).times(light)
			m := regexp.MustCompile(`\.` + c.ink() + ` \{ fill: #([0-9a-f]{6});`).FindStringSubmatch(pageStyle)
			if m == nil {
				t.Fatalf("no color %s", c.ink())
			}
			if r := contrast(colorOf(t, m[1]), c); r < 4 { // a color between the two inks has not much more
				t.Errorf("a number on %v has a contrast of %.2f", c, r)
			}
		}
	}
}

// colorOf reads a color such as 2f6fd6.
func colorOf(t *testing.T, hex string) (c shade) {
	t.Helper()
	n, err := strconv.ParseUint(hex, 16, 24)
	if err != nil {
		t.Fatal(fmt.Errorf("%q: %w", hex, err))
	}
	for k := range c {
		c[k] = float64(n >> (16 - 8*k) & 255)
	}
	return c
}
