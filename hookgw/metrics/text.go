// Package metrics renders figures as text for Prometheus. No other package depends on Prometheus; elsewhere a figure
// is a [Sample].
package metrics

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Sample is one figure.
type Sample struct {
	// Name is the metric's name, such as "slop_log_bytes"; a counter sets Counter and ends in "_total".
	Name, Help string
	Counter    bool
	// Labels are alternating names and values. Samples of one name have the same label names, and no two of them the
	// same values.
	Labels []string
	Value  float64
	// Histogram makes the sample a histogram, whose name has a unit at its end; Value is then the sum.
	Histogram *Histogram
}

// Histogram counts values by upper bound; each count includes those of smaller bounds.
type Histogram struct {
	Buckets map[float64]uint64
	Count   uint64
}

// Text renders samples in the text format and returns its content type. An error means that the samples break the
// rules above, which is a bug.
func Text(samples []Sample) (body []byte, contentType string, err error) {
	registry := prometheus.NewRegistry()
	if err := registry.Register(collector(samples)); err != nil {
		return nil, "", fmt.Errorf("metrics: %w", err)
	}
	page := &page{header: http.Header{}}
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true}).ServeHTTP(page,
		&http.Request{Header: http.Header{}})
	if page.status >= http.StatusBadRequest {
		return nil, "", fmt.Errorf("metrics: %s", bytes.TrimSpace(page.body.Bytes()))
	}
	return page.body.Bytes(), page.header.Get("Content-Type"), nil
}

// collector returns samples that were collected before.
type collector []Sample

// Describe describes nothing, because the samples differ from one collection to the next.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the samples.
func (c collector) Collect(out chan<- prometheus.Metric) {
	for _, s := range c {
		kind := prometheus.GaugeValue
		if s.Counter {
			kind = prometheus.CounterValue
		}
		var names, values []string
		for i := 0; i+1 < len(s.Labels); i += 2 {
			names, values = append(names, s.Labels[i]), append(values, s.Labels[i+1])
		}
		desc := prometheus.NewDesc(s.Name, s.Help, names, nil)
		m, err := prometheus.NewConstMetric(desc, kind, s.Value, values...)
		if s.Histogram != nil {
			m, err = prometheus.NewConstHistogram(desc, s.Histogram.Count, s.Value, s.Histogram.Buckets, values...)
		}
		if err != nil {
			m = prometheus.NewInvalidMetric(desc, err)
		}
		out <- m
	}
}

// page stores the output of a handler.
type page struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (p *page) Header() http.Header { return p.header }

// WriteHeader notes the status.
func (p *page) WriteHeader(status int) { p.status = status }

// Write keeps the body.
func (p *page) Write(b []byte) (int, error) { return p.body.Write(b) }
