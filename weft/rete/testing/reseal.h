// Makes the digests of a damaged segment right again, so that what lies behind them is reached.
#pragma once

#include <string>

namespace weft::rete {

// A file of generation 6 whose header and section table are in place: every section digest, block
// digest, the root digest, the card digest and the content hash are computed anew, and the file
// length in the header is set. Anything that is not so well-formed is left as it is.
void reseal6(std::string& file);

// A file of generation 5: the content hash, the digests inside sections, the seal.
void reseal5(std::string& file);

}  // namespace weft::rete
