set(SOURCES base_scan.cc delta.cc fold.cc fold_count.cc fold_terms.cc merge_cursor.cc overlay.cc
            overlay_ranged.cc segment_terms.cc segments.cc term_table.cc)
set(HEADERS base_scan.h delta.h fold.h fold_state.h fold_terms.h memory_hold.h merge_cursor.h
            overlay.h segment_terms.h segments.h term_table.h)
set(TESTS)
