package explain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"loopc/ir/irtest"
	"loopc/testdata/lacking"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// browser returns the path of a Chromium; without one the test is skipped, but
// fails with CI=true. Without -full the test is skipped, too: a browser starts slowly.
func browser(t *testing.T) string {
	t.Helper()
	if !irtest.Full() {
		t.Skip("starts a browser: .ci/run page does, with -full")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	lacking.Skip(t, "chromium is not in PATH: .ci/run page installs it")
	return ""
}

// open opens a page in the browser with further arguments, and returns the browser's output and
// what scripts write to the console. The browser starts slowly on a busy machine.
func open(t *testing.T, browser, page string, args ...string) (out, console string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	all := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--user-data-dir=" + t.TempDir(), "--virtual-time-budget=3000", "--enable-logging=stderr",
	}
	c := exec.CommandContext(ctx, browser, append(append(all, args...), "file://"+page)...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, stderr.String())
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, ":CONSOLE") {
			console += line
		}
	}
	return stdout.String(), console
}

// writePage writes the page of s to a file of its own.
func writePage(t *testing.T, s *Subject, c *Chart) string {
	t.Helper()
	_, _, page := render(t, s, c)
	name := filepath.Join(t.TempDir(), "plan.html")
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

var drawn = regexp.MustCompile(`data-drawn="(\d+)"`)

// TestPageInBrowser opens pages in a headless Chromium: no script complains, the
// chart draws its spans, the slider of steps appears, and what can be seen is a
// picture in light and in dark.
func TestPageInBrowser(t *testing.T) {
	chromium := browser(t)
	for _, c := range []struct {
		file   string
		params []int
		o      plan.Options
	}{
		{"pipeline/pipeline.loop", []int{64, 64, 4096}, plan.Options{Ranks: 4, CPUs: 2}},
		{"triangle/triangle.loop", []int{600}, plan.Options{Ranks: 3, CPUs: 1, Tile: []int{40, 50}, Assign: plan.Cyclic}},
		{"editdistance/editdistance.loop", []int{900, 700}, plan.Options{Ranks: 2, CPUs: 2, Comm: plan.Blocking}},
		{"seidel/seidel.loop", []int{20, 300}, plan.Options{Ranks: 4, CPUs: 1, Group: plan.Vertical}},
		{"adi/adi.loop", []int{16, 200}, plan.Options{Ranks: 6, CPUs: 2, Assign: plan.Mirror, Tile: []int{4, 0, 10}}},
	} {
		s := subject(t, filepath.Base(c.file), example(t, c.file), c.params, c.o)
		chart := s.predicted()
		// The measured rows, below the predicted ones: here the prediction, with times that are a tenth longer.
		cost.NewPredictor(s.Plan).Simulate(t.Context(), s.Machine, s.Link, func(x cost.Span) {
			x.Begin, x.End = 1.1*x.Begin, 1.1*x.End
			chart.Add(x, true)
		})
		page := writePage(t, s, chart)
		dom, console := open(t, chromium, page, "--dump-dom")
		if console != "" {
			t.Errorf("%s: the console has\n%s", c.file, console)
		}
		m := drawn.FindStringSubmatch(dom)
		if m == nil {
			t.Errorf("%s: no chart is drawn", c.file)
		} else if n, err := strconv.Atoi(m[1]); err != nil || n < 20 {
			t.Errorf("%s: the chart has %s spans", c.file, m[1])
		}
		if !strings.Contains(dom, `class="controls steps"`) || regexp.MustCompile(`class="controls steps"[^>]*hidden`).MatchString(dom) {
			t.Errorf("%s: the slider of steps is hidden", c.file)
		}
		light := shoot(t, chromium, page)
		dark := shoot(t, chromium, page, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")
		for name, p := range map[string]*image.Gray{"light": light, "dark": dark} {
			if n := shades(p); n < 12 {
				t.Errorf("%s, %s: only %d shades, the page is all but blank", c.file, name, n)
			}
		}
		if l, d := brightness(light), brightness(dark); l < 180 || d > 80 {
			t.Errorf("%s: mean brightness is %.0f in light, %.0f in dark", c.file, l, d)
		}
	}
}

// exercise is a script that uses the page as its reader would, and leaves what
// came of it in the body.
const exercise = `<script>
(function () {
	var out = {}, canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
	var slider = document.querySelector(".steps input");
	slider.value = 3;
	slider.dispatchEvent(new Event("input"));
	out.off = document.querySelectorAll(".space .off").length;
	out.now = document.querySelectorAll(".space .now").length;
	out.all = +canvas.dataset.drawn;
	document.querySelector("[data-zoom='2']").click();
	canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+" }));
	canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
	canvas.dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, deltaY: -120, clientX: box.left + 300, clientY: box.top + 30, cancelable: true }));
	out.zoomed = +canvas.dataset.drawn;
	document.querySelector("[data-zoom='0']").click();
	out.again = +canvas.dataset.drawn;
	canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + 300, clientY: box.top + 35 }));
	out.tip = document.querySelector(".tip").textContent;
	window.dispatchEvent(new Event("beforeprint"));
	out.paper = getComputedStyle(document.body).backgroundColor;
	window.dispatchEvent(new Event("afterprint"));
	document.body.dataset.result = JSON.stringify(out);
})();
</script>`

// TestPageIsUsed moves the slider, zooms and prints.
func TestPageIsUsed(t *testing.T) {
	chromium := browser(t)
	s := subject(t, "pipeline.loop", example(t, "pipeline/pipeline.loop"), []int{64, 64, 4096}, plan.Options{Ranks: 4, CPUs: 1, Tile: []int{32, 32, 128}})
	name := writePage(t, s, s.predicted())
	text, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(strings.Replace(string(text), "</body>", exercise+"</body>", 1)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	dom, console := open(t, chromium, name, "--dump-dom")
	if console != "" {
		t.Errorf("the console has\n%s", console)
	}
	m := regexp.MustCompile(`data-result="([^"]*)"`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatal("the script left nothing")
	}
	var got struct {
		Off, Now, All, Zoomed, Again int
		Tip, Paper                   string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &got); err != nil {
		t.Fatal(err)
	}
	if got.Off == 0 || got.Now == 0 {
		t.Errorf("at step 3, %d tiles are off, %d on", got.Off, got.Now)
	}
	if got.All == 0 || got.Again != got.All || got.Zoomed == 0 || got.Zoomed >= got.All {
		t.Errorf("%d spans are drawn, %d zoomed in, %d zoomed out again", got.All, got.Zoomed, got.Again)
	}
	if !strings.Contains(got.Tip, "rank 0") || !strings.Contains(got.Tip, "step") {
		t.Errorf("the tip says %q", got.Tip)
	}
	if got.Paper != "rgb(255, 255, 255)" {
		t.Errorf("paper is %s", got.Paper)
	}
}

// TestBrowserSeesErrors checks that a script that fails is noticed.
func TestBrowserSeesErrors(t *testing.T) {
	chromium := browser(t)
	name := filepath.Join(t.TempDir(), "wrong.html")
	if err := os.WriteFile(name, []byte("<!DOCTYPE html><script>nowhere()</script>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, console := open(t, chromium, name, "--dump-dom"); !strings.Contains(console, "nowhere is not defined") {
		t.Errorf("the console has %q", console)
	}
}

// shoot returns a picture of the page as the browser first shows it, in shades of gray.
func shoot(t *testing.T, chromium, page string, args ...string) *image.Gray {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.png")
	_, console := open(t, chromium, page, append(args, "--window-size=1200,1800", "--screenshot="+name)...)
	if console != "" {
		t.Errorf("%v: the console has\n%s", args, console)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", name, err))
	}
	gray := image.NewGray(p.Bounds())
	for y := gray.Rect.Min.Y; y < gray.Rect.Max.Y; y++ {
		for x := gray.Rect.Min.X; x < gray.Rect.Max.X; x++ {
			gray.Set(x, y, p.At(x, y))
		}
	}
	return gray
}

// shades counts the brightnesses that occur in a thousand pixels or more.
func shades(p *image.Gray) (n int) {
	var count [256]int
	for _, v := range p.Pix {
		count[v]++
	}
	for _, c := range count {
		if c >= 1000 {
			n++
		}
	}
	return n
}

// brightness is the mean of all pixels.
func brightness(p *image.Gray) float64 {
	sum := 0
	for _, v := range p.Pix {
		sum += int(v)
	}
	return float64(sum) / float64(len(p.Pix))
}
