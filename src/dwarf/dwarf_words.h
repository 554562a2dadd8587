/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The constants of the DWARF standard (version 5, section 7) and of GNU's earlier extensions that
 * are needed to get from an address to lines, functions, and return types. */
#ifndef DWARF_DWARF_WORDS_H
#define DWARF_DWARF_WORDS_H

/* Sections .debug_NAME. Variants: .debug_NAME.dwo (split), .zdebug_NAME (GNU's compression). */
#define DWARF_SECTIONS(X)             \
	X(INFO, "info")               \
	X(ABBREV, "abbrev")           \
	X(STR, "str")                 \
	X(LINE, "line")               \
	X(LINE_STR, "line_str")       \
	X(RANGES, "ranges")           \
	X(RNGLISTS, "rnglists")       \
	X(ADDR, "addr")               \
	X(STR_OFFSETS, "str_offsets") \
	X(ARANGES, "aranges")         \
	X(CU_INDEX, "cu_index")

#define DWARF_ENUM(id, ...) DWARF_##id,
enum dwarf_section { DWARF_SECTIONS(DWARF_ENUM) DWARF_SECTION_COUNT };

enum dwarf_tag {
	TAG_ARRAY_TYPE = 0x01,
	TAG_CLASS_TYPE = 0x02,
	TAG_ENUMERATION_TYPE = 0x04,
	TAG_MEMBER = 0x0d,
	TAG_POINTER_TYPE = 0x0f,
	TAG_REFERENCE_TYPE = 0x10,
	TAG_COMPILE_UNIT = 0x11,
	TAG_STRUCTURE_TYPE = 0x13,
	TAG_TYPEDEF = 0x16,
	TAG_UNION_TYPE = 0x17,
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_BASE_TYPE = 0x24,
	TAG_CONST_TYPE = 0x26,
	TAG_SUBPROGRAM = 0x2e,
	TAG_VOLATILE_TYPE = 0x35,
	TAG_RESTRICT_TYPE = 0x37,
	TAG_PARTIAL_UNIT = 0x3c,
	TAG_RVALUE_REFERENCE_TYPE = 0x42,
	TAG_ATOMIC_TYPE = 0x47,
	TAG_SKELETON_UNIT = 0x4a,
};

/* For base types. */
enum dwarf_encoding {
	ATE_BOOLEAN = 0x02,
	ATE_SIGNED = 0x05,
	ATE_SIGNED_CHAR = 0x06,
	ATE_UNSIGNED = 0x07,
	ATE_UNSIGNED_CHAR = 0x08,
	ATE_UTF = 0x10,
};

enum dwarf_language {
	LANG_C89 = 0x01,
	LANG_C = 0x02,
	LANG_C_PLUS_PLUS = 0x04,
	LANG_C99 = 0x0c,
	LANG_OBJC = 0x10,
	LANG_OBJC_PLUS_PLUS = 0x11,
	LANG_GO = 0x16,
	LANG_C_PLUS_PLUS_03 = 0x19,
	LANG_C_PLUS_PLUS_11 = 0x1a,
	LANG_RUST = 0x1c,
	LANG_C11 = 0x1d,
	LANG_C_PLUS_PLUS_14 = 0x21,
	LANG_C_PLUS_PLUS_17 = 0x2a,
	LANG_C_PLUS_PLUS_20 = 0x2b,
	LANG_C17 = 0x2c,
	LANG_C_PLUS_PLUS_23 = 0x3a,
	LANG_C23 = 0x3e,
};

enum dwarf_attribute {
	AT_SIBLING = 0x01,
	AT_NAME = 0x03,
	AT_BYTE_SIZE = 0x0b,
	AT_STMT_LIST = 0x10,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_LANGUAGE = 0x13,
	AT_COMP_DIR = 0x1b,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_DATA_MEMBER_LOCATION = 0x38,
	AT_DECL_LINE = 0x3b,
	AT_ENCODING = 0x3e,
	AT_SPECIFICATION = 0x47,
	AT_TYPE = 0x49,
	AT_RANGES = 0x55,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	AT_LINKAGE_NAME = 0x6e,
	AT_STR_OFFSETS_BASE = 0x72,
	AT_ADDR_BASE = 0x73,
	AT_RNGLISTS_BASE = 0x74,
	AT_DWO_NAME = 0x76,
	AT_MIPS_LINKAGE_NAME = 0x2007,
	AT_GNU_DWO_NAME = 0x2130,
	AT_GNU_DWO_ID = 0x2131,
	AT_GNU_RANGES_BASE = 0x2132,
	AT_GNU_ADDR_BASE = 0x2133,
};

/*
 * Columns of a form: name, code, length (bytes, or SIZE_*), enum dwarf_class.
 */
#define DWARF_STANDARD_FORMS(X)                        \
	X(ADDR, 0x01, SIZE_ADDRESS, ADDRESS)           \
	X(BLOCK2, 0x03, SIZE_BLOCK2, OTHER)            \
	X(BLOCK4, 0x04, SIZE_BLOCK4, OTHER)            \
	X(DATA2, 0x05, 2, NUMBER)                      \
	X(DATA4, 0x06, 4, NUMBER)                      \
	X(DATA8, 0x07, 8, NUMBER)                      \
	X(STRING, 0x08, SIZE_STRING, INLINE_STRING)    \
	X(BLOCK, 0x09, SIZE_BLOCK, OTHER)              \
	X(BLOCK1, 0x0a, SIZE_BLOCK1, OTHER)            \
	X(DATA1, 0x0b, 1, NUMBER)                      \
	X(FLAG, 0x0c, 1, NUMBER)                       \
	X(SDATA, 0x0d, SIZE_SLEB, NUMBER)              \
	X(STRP, 0x0e, SIZE_OFFSET, STRING)             \
	X(UDATA, 0x0f, SIZE_ULEB, NUMBER)              \
	X(REF_ADDR, 0x10, SIZE_REFERENCE, REFERENCE)   \
	X(REF1, 0x11, 1, UNIT_REFERENCE)               \
	X(REF2, 0x12, 2, UNIT_REFERENCE)               \
	X(REF4, 0x13, 4, UNIT_REFERENCE)               \
	X(REF8, 0x14, 8, UNIT_REFERENCE)               \
	X(REF_UDATA, 0x15, SIZE_ULEB, UNIT_REFERENCE)  \
	X(INDIRECT, 0x16, SIZE_INDIRECT, OTHER)        \
	X(SEC_OFFSET, 0x17, SIZE_OFFSET, NUMBER)       \
	X(EXPRLOC, 0x18, SIZE_BLOCK, OTHER)            \
	X(FLAG_PRESENT, 0x19, 0, NUMBER)               \
	X(STRX, 0x1a, SIZE_ULEB, STRING_INDEX)         \
	X(ADDRX, 0x1b, SIZE_ULEB, ADDRESS_INDEX)       \
	X(REF_SUP4, 0x1c, 4, ALT_REFERENCE)            \
	X(STRP_SUP, 0x1d, SIZE_OFFSET, ALT_STRING)     \
	X(DATA16, 0x1e, 16, OTHER)                     \
	X(LINE_STRP, 0x1f, SIZE_OFFSET, LINE_STRING)   \
	X(REF_SIG8, 0x20, 8, OTHER)                    \
	X(IMPLICIT_CONST, 0x21, SIZE_CONSTANT, NUMBER) \
	X(LOCLISTX, 0x22, SIZE_ULEB, OTHER)            \
	X(RNGLISTX, 0x23, SIZE_ULEB, RANGES_INDEX)     \
	X(REF_SUP8, 0x24, 8, ALT_REFERENCE)            \
	X(STRX1, 0x25, 1, STRING_INDEX)                \
	X(STRX2, 0x26, 2, STRING_INDEX)                \
	X(STRX3, 0x27, 3, STRING_INDEX)                \
	X(STRX4, 0x28, 4, STRING_INDEX)                \
	X(ADDRX1, 0x29, 1, ADDRESS_INDEX)              \
	X(ADDRX2, 0x2a, 2, ADDRESS_INDEX)              \
	X(ADDRX3, 0x2b, 3, ADDRESS_INDEX)              \
	X(ADDRX4, 0x2c, 4, ADDRESS_INDEX)

/* GNU's forms from before version 5. */
#define DWARF_GNU_FORMS(X)                                  \
	X(GNU_ADDR_INDEX, 0x1f01, SIZE_ULEB, ADDRESS_INDEX) \
	X(GNU_STR_INDEX, 0x1f02, SIZE_ULEB, STRING_INDEX)   \
	X(GNU_REF_ALT, 0x1f20, SIZE_OFFSET, ALT_REFERENCE)  \
	X(GNU_STRP_ALT, 0x1f21, SIZE_OFFSET, ALT_STRING)

enum dwarf_form {
#define ROW(id, code, length, class) FORM_##id = code,
	DWARF_STANDARD_FORMS(ROW) DWARF_GNU_FORMS(ROW)
#undef ROW
};

/* Lengths that are not a number of bytes; greater than any that is. */
enum dwarf_form_size {
	SIZE_UNKNOWN = 64, /* not a form */
	SIZE_ADDRESS,
	SIZE_OFFSET,
	SIZE_REFERENCE, /* an address in version 2, otherwise an offset */
	SIZE_ULEB,
	SIZE_SLEB,
	SIZE_STRING,
	SIZE_BLOCK,
	SIZE_BLOCK1,
	SIZE_BLOCK2,
	SIZE_BLOCK4,
	SIZE_INDIRECT, /* the form precedes the value */
	SIZE_CONSTANT, /* the value is in the abbreviation */
};

enum dwarf_class {
	CLASS_NONE,
	CLASS_NUMBER,
	CLASS_ADDRESS,
	CLASS_ADDRESS_INDEX,
	CLASS_STRING,	     /* an offset into .debug_str */
	CLASS_INLINE_STRING, /* an offset into .debug_info */
	CLASS_LINE_STRING,   /* an offset into .debug_line_str */
	CLASS_STRING_INDEX,
	CLASS_ALT_STRING, /* an offset into .debug_str of the supplementary file */
	CLASS_REFERENCE,  /* an offset into .debug_info */
	CLASS_UNIT_REFERENCE,
	CLASS_ALT_REFERENCE,
	CLASS_RANGES_INDEX,
	CLASS_OTHER,
};

enum dwarf_unit_type {
	UNIT_COMPILE = 1,
	UNIT_TYPE = 2,
	UNIT_PARTIAL = 3,
	UNIT_SKELETON = 4,
	UNIT_SPLIT_COMPILE = 5,
	UNIT_SPLIT_TYPE = 6,
};

enum dwarf_range_entry {
	RLE_END_OF_LIST,
	RLE_BASE_ADDRESSX,
	RLE_STARTX_ENDX,
	RLE_STARTX_LENGTH,
	RLE_OFFSET_PAIR,
	RLE_BASE_ADDRESS,
	RLE_START_END,
	RLE_START_LENGTH,
};

enum dwarf_line_standard {
	LNS_COPY = 1,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	LNS_SET_PROLOGUE_END,
	LNS_SET_EPILOGUE_BEGIN,
	LNS_SET_ISA,
};

enum dwarf_line_extended {
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS,
	LNE_DEFINE_FILE,
	LNE_SET_DISCRIMINATOR,
};

enum dwarf_line_content {
	LNCT_PATH = 1,
	LNCT_DIRECTORY_INDEX,
};

#endif
