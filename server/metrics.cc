#include "server/metrics.h"

#include <algorithm>
#include <cstdio>

namespace weft::server {
namespace {

void append_line(std::string& out, std::string_view name, std::string_view labels, uint64_t value) {
  out += name;
  out += labels;
  out += ' ' + std::to_string(value) + '\n';
}

void append_metric(std::string& out, std::string_view name, std::string_view kind,
                   std::string_view meaning, uint64_t value) {
  out += "# HELP ";
  out += name;
  out += ' ';
  out += meaning;
  out += "\n# TYPE ";
  out += name;
  out += ' ';
  out += kind;
  out += '\n';
  append_line(out, name, "", value);
}

std::string seconds(double microseconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", microseconds / 1e6);
  return text.data();
}

void append_graph(std::string& out, const engine::LiveFacts& facts) {
  append_metric(out, "weft_graph_writable", "gauge", "1 if updates are taken.", facts.writable);
  append_metric(out, "weft_graph_generation", "gauge", "Generation of the manifest.",
                facts.generation);
  append_metric(out, "weft_graph_log_entries", "gauge", "Entries of the manifest's log.",
                facts.log_entries);
  append_metric(out, "weft_journal_bytes", "gauge", "Size of the journal.", facts.journal_bytes);
  append_metric(out, "weft_journal_changes", "gauge", "Changes in the journal.",
                facts.journal_changes);
  append_metric(out, "weft_commits_total", "counter", "Commits acknowledged.", facts.commits);
  append_metric(out, "weft_journal_syncs_total", "counter", "Syncs of the journal.", facts.syncs);
  append_metric(out, "weft_seals_total", "counter", "Seals.", facts.seals);
  append_metric(out, "weft_overlay_rows", "gauge", "Rows of the overlay in memory.",
                facts.overlay_rows);
  append_metric(out, "weft_graph_broken", "gauge", "1 if updates are refused after a fault.",
                facts.broken.has_value() ? 1 : 0);
}

}  // namespace

void Metrics::Histogram::add(int64_t microseconds, bool failure) {
  const size_t bucket = static_cast<size_t>(
      std::lower_bound(kBuckets.begin(), kBuckets.end(), microseconds) - kBuckets.begin());
  counts[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_microseconds.fetch_add(static_cast<uint64_t>(std::max<int64_t>(microseconds, 0)),
                             std::memory_order_relaxed);
  failed.fetch_add(failure ? 1 : 0, std::memory_order_relaxed);
}

void Metrics::count(const Handler::Outcome& outcome) {
  by_class_[std::min<size_t>(outcome.status / 100, by_class_.size() - 1)].fetch_add(1);
  aborted_.fetch_add(outcome.aborted ? 1 : 0);
  bytes_in_.fetch_add(outcome.body_bytes);
  bytes_out_.fetch_add(outcome.sent_bytes);
}

void Metrics::count_query(int64_t microseconds, bool failed) {
  queries_.add(microseconds, failed);
}

void Metrics::count_update(int64_t microseconds, bool failed) {
  updates_.add(microseconds, failed);
}

void Metrics::append_histogram(std::string& out, std::string_view name,
                               const Histogram& histogram) {
  const std::string base = "weft_" + std::string(name) + "_seconds";
  out += "# HELP " + base + " Time to the last byte made.\n# TYPE " + base + " histogram\n";
  uint64_t total = 0;
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    total += histogram.counts[i];
    const std::string end =
        i < kBuckets.size() ? seconds(static_cast<double>(kBuckets[i])) : std::string("+Inf");
    append_line(out, base, "_bucket{le=\"" + end + "\"}", total);
  }
  out += base + "_sum " + seconds(static_cast<double>(histogram.sum_microseconds)) + "\n";
  append_line(out, base, "_count", total);
  append_metric(out, "weft_" + std::string(name) + "_failed_total", "counter",
                "Those that ended with an error.", histogram.failed);
}

void Metrics::append(std::string& out, const HttpCounters& http, const engine::LiveFacts& facts,
                     uint64_t query_memory_bytes) const {
  out +=
      "# HELP weft_http_requests_total Requests answered, by class of status.\n"
      "# TYPE weft_http_requests_total counter\n";
  for (size_t i = 1; i < by_class_.size(); ++i) {
    append_line(out, "weft_http_requests_total", "{class=\"" + std::to_string(i) + "xx\"}",
                by_class_[i]);
  }
  append_metric(out, "weft_http_aborted_total", "counter",
                "Requests whose client left or whose answer broke off.", aborted_);
  append_metric(out, "weft_http_refused_total", "counter", "Requests refused for load (503).",
                http.requests_refused);
  append_metric(out, "weft_http_received_bytes_total", "counter", "Bytes of bodies.", bytes_in_);
  append_metric(out, "weft_http_sent_bytes_total", "counter", "Bytes of answers.", bytes_out_);
  append_metric(out, "weft_http_connections", "gauge", "Open connections.", http.connections);
  append_metric(out, "weft_http_connections_total", "counter", "Connections taken.",
                http.connections_total);
  append_metric(out, "weft_http_connections_refused_total", "counter",
                "Connections beyond the limit.", http.connections_refused);
  append_metric(out, "weft_reads_running", "gauge", "Reading requests under way.",
                http.reads_running);
  append_metric(out, "weft_reads_waiting", "gauge", "Reading requests that wait.",
                http.reads_waiting);
  append_metric(out, "weft_writes_running", "gauge", "Writing requests under way.",
                http.writes_running);
  append_metric(out, "weft_writes_waiting", "gauge", "Writing requests that wait.",
                http.writes_waiting);
  append_metric(out, "weft_query_memory_bytes", "gauge", "Reserved by running queries.",
                query_memory_bytes);
  append_histogram(out, "queries", queries_);
  append_histogram(out, "updates", updates_);
  append_graph(out, facts);
}

}  // namespace weft::server
