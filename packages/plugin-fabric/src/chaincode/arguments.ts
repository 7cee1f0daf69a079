import type { Phase } from '@ledger-ops/adapter';
import { JsonError, parseJson } from '@ledger-ops/glo-core';
import { invalid } from '../invalid.ts';
import type { TransactionMetadata } from './interface.ts';
import { typeName } from './interface.ts';
import { mismatchOf, resolveSchema, type Schema } from './json-schema.ts';

/**
 * Converts argument strings for the chaincode and validates them against its metadata. Strings are passed
 * unchanged, integers are decimal or `0x`, numbers are JSON numbers, booleans are `true` or `false`,
 * everything else is JSON.
 *
 * @throws AdapterError `invalid-argument` at `/args` or `/args/<index>/…`
 */
export function readArguments(
  { parameters }: TransactionMetadata,
  schemas: Readonly<Record<string, Schema>>,
  texts: readonly string[],
  phase: Phase,
): string[] {
  if (parameters.length !== texts.length) {
    const expected = parameters.map(({ name, schema }) => `${typeName(schema)} ${name}`.trim()).join(', ');
    const detail =
      parameters.length === 0
        ? `must be empty, but contains ${texts.length}`
        : `must contain ${parameters.length} ${parameters.length === 1 ? 'argument' : 'arguments'} (${expected}), but contains ${texts.length}`;
    throw invalid(phase, '/args', detail);
  }
  const budget: Budget = { characters: maxStructured };
  return parameters.map(({ schema }, index) =>
    readText(texts[index] ?? '', schema, schemas, budget, phase, `/args/${index}`),
  );
}

/**
 * Maximum total number of characters of arguments that are validated against JSON types. String parameters, and functions
 * without metadata, have no such limit.
 */
const maxStructured = 262_144;
/** Maximum number of JSON values in one argument. */
const maxValues = 20_000;

interface Budget {
  characters: number;
}

/** Accepts any strings as the arguments of a function whose types are unknown. */
export function readPlainArguments(texts: readonly string[], phase: Phase): string[] {
  return texts.map((text, index) => requireText(text, phase, `/args/${index}`));
}

function readText(
  text: string,
  given: Schema,
  schemas: Readonly<Record<string, Schema>>,
  budget: Budget,
  phase: Phase,
  pointer: string,
): string {
  const schema = resolveSchema(given, schemas);
  requireText(text, phase, pointer);
  switch (schema.type) {
    case undefined:
      return text;
    case 'string':
      fit(text, schema, schemas, phase, pointer);
      return text;
    case 'integer':
      return readInteger(text, schema, schemas, phase, pointer);
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalid(phase, pointer, 'must be true or false');
      return text;
    case 'number':
      if (text.length > 1_024 || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) {
        throw invalid(phase, pointer, 'must be a JSON number');
      }
      fit(Number(text), schema, schemas, phase, pointer);
      return text;
    default: {
      budget.characters -= text.length;
      if (budget.characters < 0) {
        throw invalid(
          phase,
          pointer,
          `is too long: arguments can have at most ${maxStructured} characters of JSON`,
        );
      }
      fit(readJson(text, schema, phase, pointer), schema, schemas, phase, pointer);
      return text;
    }
  }
}

function readInteger(
  text: string,
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  phase: Phase,
  pointer: string,
): string {
  if (!/^(?:-?[0-9]{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text)) {
    throw invalid(phase, pointer, 'must be a whole number, decimal or 0x');
  }
  const value = BigInt(text);
  const bounds: Readonly<Record<string, readonly [bigint, bigint]>> = {
    int64: [-(2n ** 63n), 2n ** 63n - 1n],
    uint64: [0n, 2n ** 64n - 1n],
  };
  const exact = typeof schema.format === 'string' ? bounds[schema.format] : undefined;
  if (exact !== undefined && (value < exact[0] || value > exact[1])) {
    throw invalid(phase, pointer, `is out of range for ${String(schema.format)}`);
  }
  fit(Number(value), schema, schemas, phase, pointer);
  return value.toString();
}

function readJson(text: string, schema: Schema, phase: Phase, pointer: string): unknown {
  try {
    return parseJson(text, { values: maxValues });
  } catch (error) {
    const why = error instanceof JsonError ? ` (${error.message})` : '';
    throw invalid(phase, pointer, `must be JSON for ${typeName(schema)}${why}`);
  }
}

function fit(
  value: unknown,
  schema: Schema,
  schemas: Readonly<Record<string, Schema>>,
  phase: Phase,
  pointer: string,
): void {
  const misfit = mismatchOf(value, schema, schemas);
  if (misfit !== undefined) throw invalid(phase, `${pointer}${misfit.pointer}`, misfit.detail);
}

function requireText(text: string, phase: Phase, pointer: string): string {
  if (text.isWellFormed()) return text;
  throw invalid(phase, pointer, 'is not well-formed Unicode');
}
