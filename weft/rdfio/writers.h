// The writers of the single syntaxes, which make_quad_writer() chooses from.
#pragma once

#include "weft/rdfio/write.h"

namespace weft::rdfio {

// As make_quad_writer().
std::unique_ptr<QuadWriter> make_line_writer(Format format, OutputStream& output,
                                             const WriteOptions& options);
std::unique_ptr<QuadWriter> make_turtle_writer(Format format, OutputStream& output,
                                               const WriteOptions& options);
std::unique_ptr<QuadWriter> make_rdfxml_writer(OutputStream& output, const WriteOptions& options);
// Holds back the first quads, adds prefixes for the namespaces they use most to `options`, and goes
// on with the writer of `format`.
std::unique_ptr<QuadWriter> make_gathering_writer(Format format, OutputStream& output,
                                                  const WriteOptions& options);

}  // namespace weft::rdfio
