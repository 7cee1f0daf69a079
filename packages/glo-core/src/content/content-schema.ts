import { GloError, type GloIssue } from '../errors.ts';
import type { Json, JsonObject } from '../json/json-values.ts';
import { contentLimits } from './content-limits.ts';
import { SchemaReader } from './content-reader.ts';
import { type Reading, run } from './content-run.ts';
import type { ReplaceWallet } from './parts.ts';
import type { ReadPattern } from './pattern.ts';

export type { ReplaceWallet };

/**
 * A JSON Schema (2020-12) of the supported subset; see "Schemas" in the README. Plain JSON, so that plugins of any kind
 * can provide it.
 */
export type JsonSchema = JsonObject;

/** A compiled {@link JsonSchema}, which validates and transforms values. */
export interface ContentSchema {
  /** Validates a value and normalizes it: quantities become decimal text. Never throws, and never quotes a value. */
  read(value: unknown, pointer?: string): Reading;
  /**
   * Returns a valid value without its `writeOnly` parts: members are omitted; maps with `writeOnly` values
   * keep their names, with empty strings. Returns the value itself if nothing is `writeOnly`.
   */
  withoutSecrets<Value extends Json>(value: Value): Value;
  /**
   * Returns a valid value with its `x-wallet` strings replaced. Returns the value itself if there are none.
   *
   * @param replace called for each text, with its pointer in the value
   */
  replaceWallets<Value extends Json>(value: Value, replace: ReplaceWallet): Value;
}

/**
 * Compiles a schema.
 *
 * @param readPattern compiles its patterns: with a linear-time engine if they come from an untrusted source.
 * @throws {GloError} with an issue for each unknown or invalid keyword, and for a schema that exceeds the limits.
 */
export function compileSchema(schema: unknown, readPattern: ReadPattern): ContentSchema {
  const size = sizeProblem(schema);
  if (size !== undefined) throw new GloError('invalid-glo', [size]);
  const reader = new SchemaReader(readPattern);
  const node = reader.node(schema, '', 0);
  // The top level must not be writeOnly: removing the secrets would remove the whole content.
  if (node.writeOnly) reader.refuse('/writeOnly', 'is not allowed at the top level; set it on members');
  if (reader.issues.length > 0) throw new GloError('invalid-glo', reader.issues);
  return {
    read: (value, pointer = '') => run(node.check, value, pointer),
    // A redacted value has the form of the value.
    withoutSecrets: (value) => (node.redact === undefined ? value : (node.redact(value) as typeof value)),
    // Replaces wallet names by other strings, so that the type of the value stays the same.
    replaceWallets: (value, replace) =>
      node.rename === undefined ? value : (node.rename(value, '', replace) as typeof value),
  };
}

/** Returns an issue if the schema is not JSON or exceeds the limits. */
function sizeProblem(schema: unknown): GloIssue | undefined {
  let values = 0;
  let text = 0;
  const look = (value: unknown, depth: number): string | undefined => {
    values += 1;
    if (values > contentLimits.schemaValues) return `has more than ${contentLimits.schemaValues} values`;
    if (typeof value === 'string') text += value.length;
    if (text > contentLimits.schemaText) return `has more than ${contentLimits.schemaText} characters`;
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth > 2 * contentLimits.schemaDepth) return `has more than ${contentLimits.schemaDepth} levels`;
    for (const [name, member] of Object.entries(value)) {
      text += name.length;
      const found = look(member, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const detail = look(schema, 0);
  return detail === undefined ? undefined : { pointer: '', detail };
}
