"use strict";
// The step slider of the iteration space, and the Gantt chart, of each nest of the
// page. Data are in the page; nothing is loaded.
(function () {
  var root = document.documentElement;

  // Shows the tiles up to a step: later ones are faint, those of the step framed.
  function steps(nest) {
    var box = nest.querySelector(".steps");
    if (!box || +box.dataset.last < 1) return;
    var last = +box.dataset.last, tiles = nest.querySelectorAll(".space [data-s]");
    var input = box.querySelector("input"), output = box.querySelector("output"), play = box.querySelector("button");
    var timer = 0;
    function show(step, all) {
      tiles.forEach(function (t) {
        var s = +t.dataset.s;
        t.classList.toggle("off", !all && s > step);
        t.classList.toggle("now", !all && s === step);
      });
      output.textContent = all ? "all" : step + " of " + last;
    }
    function stop() { clearInterval(timer); timer = 0; play.textContent = "Play"; }
    input.addEventListener("input", function () { stop(); show(+input.value, false); });
    play.addEventListener("click", function () {
      if (timer) { stop(); show(0, true); return; }
      var step = 0;
      play.textContent = "Stop";
      timer = setInterval(function () {
        if (step > last) { stop(); input.value = last; show(0, true); return; }
        input.value = step;
        show(step++, false);
      }, Math.max(60, Math.min(500, 12000 / (last + 1))));
    });
    box.hidden = false;
  }

  // Prints a time of which parts as short as step matter.
  function time(t, step) {
    var units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]], u = 0;
    while (u < 3 && Math.abs(t) < units[u][0] * 0.9995 && step < units[u][0]) u++;
    if (t === 0) return "0";
    var digits = Math.max(0, Math.min(4, Math.ceil(-Math.log10(step / units[u][0]) - 1e-9)));
    return (t / units[u][0]).toFixed(digits) + " " + units[u][1];
  }

  function gantt(nest) {
    var data = nest.querySelector(".spans");
    if (!data) return;
    var chart = JSON.parse(data.textContent), box = nest.querySelector(".chart");
    var canvas = box.querySelector("canvas"), tip = box.querySelector(".tip"), g = canvas.getContext("2d");
    var end = Math.max(chart.end[0], chart.end[1], 1e-12);
    var from = 0, to = end, top = 26, wide = 0, left = 0, pen = {};

    // Rows with their places; spans as [kind, begin, end, step].
    var y = top, rows = chart.rows.map(function (r, k) {
      var spans = [], at = 0, step = 0, before = chart.rows[k - 1];
      for (var i = 0; i < r.spans.length; i += 4) {
        at += r.spans[i + 1];
        step += r.spans[i + 3];
        spans.push([r.spans[i], at * chart.tick, (at + r.spans[i + 2]) * chart.tick, step]);
        at += r.spans[i + 2];
      }
      if (before && !r.measured && before.sends) y += 6;
      var high = r.sends ? 8 : r.measured ? 14 : 18, row = { top: y, high: high, row: r, spans: spans };
      y += high + 3;
      return row;
    });
    var height = y + 4;

    function colors() {
      var style = getComputedStyle(root);
      chart.kinds.concat("ink", "muted", "rule", "soft", "card").forEach(function (k) { pen[k] = style.getPropertyValue("--" + k).trim(); });
    }
    function x(t) { return left + (t - from) / (to - from) * (wide - left); }

    function draw() {
      wide = canvas.clientWidth;
      if (!wide) return; // a nest that is not open
      left = wide < 560 ? 64 : 124;
      var scale = window.devicePixelRatio || 1;
      canvas.style.height = height + "px";
      canvas.width = Math.round(wide * scale);
      canvas.height = Math.round(height * scale);
      g.setTransform(scale, 0, 0, scale, 0, 0);
      g.font = "12px system-ui, 'DejaVu Sans', sans-serif";
      g.textBaseline = "middle";
      // Time axis: a mark wherever there is room for its label.
      var step = Math.pow(10, Math.floor(Math.log10((to - from) / 40))), most = Math.max(1, (wide - left) / 100);
      for (var f = 0; (to - from) / step > most; f++) step *= [2, 2.5, 2][f % 3];
      g.lineWidth = 1;
      var past = left - 100; // the end of the last label
      for (var t = Math.ceil(from / step) * step; t <= to + step * 1e-6; t += step) {
        var at = Math.round(x(t)) + 0.5;
        g.strokeStyle = pen.rule;
        g.beginPath(); g.moveTo(at, top - 6); g.lineTo(at, height); g.stroke();
        var mark = time(Math.abs(t) < step * 1e-6 ? 0 : t, step), w = g.measureText(mark).width;
        var start = Math.max(left, Math.min(wide - w, at - w / 2));
        if (start < past + 8) continue;
        g.fillStyle = pen.muted;
        g.textAlign = "left";
        g.fillText(mark, start, 10);
        past = start + w;
      }
      // Rows: only what can be seen.
      var drawn = 0;
      g.textAlign = "right";
      rows.forEach(function (r) {
        g.fillStyle = pen.soft;
        g.fillRect(left, r.top, wide - left, r.high);
        if (!r.row.sends || wide >= 560) {
          var name = r.row.measured && !r.row.sends ? "measured" : r.row.sends ? (r.row.measured ? "" : "sends") : r.row.name;
          if (wide < 560) name = name.replace("rank ", "r").replace(" · CPU ", ".");
          g.fillStyle = r.row.sends || r.row.measured ? pen.muted : pen.ink;
          g.font = (r.row.sends ? "10px" : "12px") + " system-ui, 'DejaVu Sans', sans-serif";
          g.fillText(name, left - 8, r.top + r.high / 2 + 0.5);
        }
        g.save();
        g.beginPath(); g.rect(left, r.top, wide - left, r.high); g.clip();
        g.globalAlpha = r.row.measured ? 0.72 : 1;
        for (var i = first(r.spans); i < r.spans.length && r.spans[i][1] <= to; i++) {
          var s = r.spans[i], a = x(s[1]), b = x(s[2]);
          var w = b - a > 3 ? b - a - 0.6 : Math.max(b - a, 0.6);
          g.fillStyle = pen[chart.kinds[s[0]]];
          var inset = s[0] >= 2 && s[0] <= 4 ? r.high * 0.28 : 0;
          g.fillRect(a, r.top + inset, w, r.high - 2 * inset);
          var seen = Math.min(b, wide) - Math.max(a, left); // of the span
          if (s[0] === 0 && seen > 12 && r.high > 12) {
            g.fillStyle = pen.card;
            g.textAlign = "center";
            g.font = "11px system-ui, 'DejaVu Sans', sans-serif";
            var text = String(s[3]);
            if (seen > 8 + g.measureText(text).width) g.fillText(text, Math.max(a, left) + seen / 2, r.top + r.high / 2 + 0.5);
          }
          drawn++;
        }
        g.restore();
        g.textAlign = "right";
      });
      // Where each run ends.
      [0, 1].forEach(function (k) {
        if (!chart.end[k]) return;
        g.strokeStyle = pen.ink;
        g.setLineDash(k ? [3, 3] : []);
        var at = x(chart.end[k]);
        if (at >= left && at <= wide + 1) { at = Math.min(at, wide - 1); g.beginPath(); g.moveTo(at, top - 6); g.lineTo(at, height); g.stroke(); }
      });
      g.setLineDash([]);
      canvas.dataset.drawn = drawn;
    }

    // The first span that may reach into what is shown. Messages may overlap, but
    // none is longer than the run of its neighbors by much: step back a little.
    function first(spans) {
      var a = 0, b = spans.length;
      while (a < b) { var m = (a + b) >> 1; if (spans[m][2] < from) a = m + 1; else b = m; }
      return Math.max(0, a - 8);
    }

    function move(a, b) {
      var least = end / 50000, length = Math.min(end, Math.max(least, b - a));
      from = Math.max(0, Math.min(end - length, (a + b - length) / 2));
      to = from + length;
      draw();
    }
    function zoom(factor, at) {
      var t = from + (at - left) / (wide - left) * (to - from);
      move(t - (t - from) / factor, t + (to - t) / factor);
    }
    function place(e) { var r = canvas.getBoundingClientRect(); return { x: e.clientX - r.left, y: e.clientY - r.top }; }

    canvas.addEventListener("wheel", function (e) {
      if (!e.ctrlKey && !e.metaKey && !e.shiftKey) return; // the page scrolls
      e.preventDefault();
      zoom(Math.pow(1.2, -(e.deltaY || e.deltaX) / 60), place(e).x);
    }, { passive: false });
    canvas.addEventListener("dblclick", function (e) { zoom(2, place(e).x); });
    var down = new Map();
    canvas.addEventListener("pointerdown", function (e) { down.set(e.pointerId, place(e)); canvas.setPointerCapture(e.pointerId); tip.hidden = true; });
    canvas.addEventListener("pointermove", function (e) {
      var p = place(e), old = down.get(e.pointerId);
      if (!old) { hover(p); return; }
      var others = Array.from(down.keys()).filter(function (id) { return id !== e.pointerId; });
      if (others.length) {
        var o = down.get(others[0]), was = Math.abs(old.x - o.x), now = Math.abs(p.x - o.x);
        if (was > 8 && now > 8) zoom(now / was, (p.x + o.x) / 2);
      } else {
        var by = (p.x - old.x) / (wide - left) * (to - from);
        move(from - by, to - by);
      }
      down.set(e.pointerId, p);
    });
    function up(e) { down.delete(e.pointerId); }
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", function () { tip.hidden = true; });
    canvas.addEventListener("keydown", function (e) {
      var by = (to - from) / 5, middle = (left + wide) / 2;
      if (e.key === "+" || e.key === "=") zoom(1.5, middle);
      else if (e.key === "-") zoom(1 / 1.5, middle);
      else if (e.key === "ArrowLeft") move(from - by, to - by);
      else if (e.key === "ArrowRight") move(from + by, to + by);
      else if (e.key === "0") move(0, end);
      else return;
      e.preventDefault();
    });
    nest.querySelectorAll("[data-zoom]").forEach(function (b) {
      b.addEventListener("click", function () { var f = +b.dataset.zoom; if (f) zoom(f, (left + wide) / 2); else move(0, end); });
    });

    // Tells what is under the pointer.
    function hover(p) {
      var found = null, t = from + (p.x - left) / (wide - left) * (to - from), slack = (to - from) / (wide - left);
      rows.forEach(function (r) {
        if (p.y < r.top || p.y > r.top + r.high || p.x < left) return;
        r.spans.forEach(function (s) { if (t >= s[1] - slack && t <= s[2] + slack && (!found || s[1] <= t)) found = [r, s]; });
      });
      if (!found) { tip.hidden = true; return; }
      var s = found[1], length = s[2] - s[1];
      tip.textContent = found[0].row.name + (found[0].row.measured ? ", measured" : "") + "\n" + chart.kinds[s[0]] + ", step " + s[3] + "\n" +
        time(s[1], Math.max(length / 100, 1e-9)) + " + " + time(length, Math.max(length / 100, 1e-9));
      tip.hidden = false;
      tip.style.left = Math.max(0, Math.min(p.x + 14, wide - tip.offsetWidth)) + "px";
      tip.style.top = p.y + 16 + "px";
    }

    function redraw() { colors(); draw(); }
    window.addEventListener("resize", draw);
    nest.addEventListener("toggle", draw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    window.addEventListener("beforeprint", function () { root.classList.add("paper"); redraw(); });
    window.addEventListener("afterprint", function () { root.classList.remove("paper"); redraw(); });
    redraw();
  }

  window.addEventListener("beforeprint", function () { root.classList.add("paper"); });
  window.addEventListener("afterprint", function () { root.classList.remove("paper"); });
  document.querySelectorAll(".nest").forEach(function (nest) { steps(nest); gantt(nest); });
})();
