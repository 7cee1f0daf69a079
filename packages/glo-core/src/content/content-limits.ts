/**
 * Limits of content that is validated by a schema, and of the schemas, which may be untrusted. Together they
 * limit the work for one document: at most `values` visits, regardless of the schema.
 */
export const contentLimits = {
  /** Maximum nesting of arrays and objects where a schema allows any JSON. */
  depth: 24,
  /** Maximum number of visits: each value counts once for each schema that it is validated against. */
  values: 65_536,
  /** Maximum total length of all strings and names. */
  text: 4_194_304,
  /** Maximum number of characters of a member name that no schema declares. */
  nameLength: 256,
  /** Maximum nesting of a schema. */
  schemaDepth: 24,
  /** Maximum number of values of a schema, counting keywords and their values. */
  schemaValues: 8_192,
  /** Maximum total length of all strings and names in a schema. */
  schemaText: 262_144,
  /** Maximum number of characters of a pattern. */
  patternLength: 1_024,
  /** Maximum total weight of a schema's patterns, as computed by `patternWeight`: 20 to 35 ms to compile. */
  patternWeight: 8_192,
  /** Maximum weight of the pattern for a technology's versions. */
  versionPatternWeight: 512,
  /**
   * Maximum number of matching steps of all untrusted patterns for one document. Matching a string takes as many steps
   * as its length times the size of the compiled pattern. A step takes up to 110 ns.
   */
  patternSteps: 262_144,
  /** Maximum total length of all pointers and details in the issues of one document. */
  issueText: 4_194_304,
  /** Maximum number of `anyOf` alternatives of a schema that contain a `writeOnly` member. */
  secretForms: 16,
} as const;
