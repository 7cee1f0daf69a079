/**
 * Bounds of content that is checked by a schema, and of the schemas themselves, which strangers write. Together they
 * bound the work for one document: a value is looked at by at most `values` steps, whatever its schema is.
 */
export const contentLimits = {
  /** Levels of arrays and objects where a schema allows any JSON. */
  depth: 24,
  /** Looks at a value in all: each value counts once for each schema that it is held against. */
  values: 65_536,
  /** Characters of all texts and names together. */
  text: 4_194_304,
  /** Characters of a member's name that no schema gives. */
  nameLength: 256,
  /** Levels of a schema. */
  schemaDepth: 24,
  /** Values of a schema, its keywords and their values counted alike. */
  schemaValues: 8_192,
  /** Characters of all texts and names of a schema together. */
  schemaText: 262_144,
  /** Characters of a pattern. */
  patternLength: 1_024,
  /** Steps that a pattern written by a stranger may take over one text: its length by the size of the compiled pattern. */
  patternSteps: 4_194_304,
} as const;
