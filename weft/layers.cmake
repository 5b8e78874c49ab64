# The layers of weft and what each may include: itself, and what it names here with all that stands
# below it. The build links from this list and tools/tidy.py refuses an include it does not allow.
# A new layer is a line here, a row in docs/architecture.md and a decision in docs/decisions.
#
#     layer(NAME [DEPS layer...] [LIBS library...])
layer(base LIBS Threads::Threads)
layer(codec DEPS base LIBS ${WEFT_ZSTD} ${WEFT_LZ4} ZLIB::ZLIB BZip2::BZip2)
layer(columns DEPS base)
layer(json DEPS base LIBS nlohmann_json::nlohmann_json)
layer(storage DEPS codec)
layer(schema DEPS json codec LIBS ${WEFT_RE2})
layer(remote DEPS storage LIBS ${CMAKE_DL_LIBS})
layer(rdf DEPS base)
layer(rdfio DEPS rdf codec LIBS EXPAT::EXPAT)
layer(rete DEPS storage rdf json LIBS weft_icu)
layer(lance DEPS storage json columns LIBS ${WEFT_ROARING})
layer(catalog DEPS lance)
layer(txn DEPS catalog)
layer(manifest DEPS storage json)
layer(journal DEPS storage rdf)
layer(quads DEPS rete manifest journal rdfio)
layer(sparql DEPS rdf)
layer(gq DEPS schema)
layer(plan DEPS sparql)
layer(exec DEPS plan LIBS ${WEFT_RE2} weft_icu OpenSSL::Crypto)
layer(results DEPS exec rdfio json LIBS EXPAT::EXPAT weft_icu)
layer(engine DEPS quads results remote lance)
# Beside weft/, as cli/: the folder is server/.
layer(server DEPS engine LIBS OpenSSL::SSL OpenSSL::Crypto)
