package explain

import (
	"bytes"
	"html/template"
	"io"

	"loopc/transform/plan"
)

// A NestPage is what the page of one nest of a program is made of; see Page.
type NestPage struct {
	Report *Report
	Plan   *plan.Plan
	Chart  *Chart // may be nil
}

// pagesTemplate is a page of pages: each nest's is a document of its own within it, so
// that their scripts and the names in them do not meet.
var pagesTemplate = template.Must(template.New("pages").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 16px/1.4 system-ui, sans-serif; margin: 1rem; }
summary { cursor: pointer; font-weight: 600; padding: .4rem 0; }
iframe { width: 100%; height: 90vh; border: 1px solid #8888; }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>The nests run one after another, each by a plan of its own:</p>
<pre>{{.Steps}}</pre>
{{range $k, $n := .Nests}}<details{{if eq $k 0}} open{{end}}>
<summary>{{$n.Name}}: {{$n.About}}</summary>
<iframe title="{{$n.Name}}" srcdoc="{{$n.Page}}"></iframe>
</details>
{{end}}</body>
</html>
`))

// Pages writes the pages of the nests of a program as one, which like them needs
// nothing else. steps is the order in which the nests run.
func Pages(w io.Writer, title, steps string, nests []NestPage) error {
	type entry struct{ Name, About, Page string }
	data := struct {
		Title, Steps string
		Nests        []entry
	}{Title: title, Steps: steps}
	for _, n := range nests {
		var b bytes.Buffer
		if err := Page(&b, n.Report, n.Plan, n.Chart); err != nil {
			return err
		}
		about := "nothing to run"
		if !n.Report.Empty {
			about = seconds(n.Report.Seconds) + " predicted, each time it runs"
		}
		data.Nests = append(data.Nests, entry{n.Report.Nest, about, b.String()})
	}
	return pagesTemplate.Execute(w, data)
}
