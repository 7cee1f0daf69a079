import { readdirSync, readFileSync } from 'node:fs';
import type { GloErrorCode } from '@ledger-ops/glo-core';

export interface ValidVector {
  description: string;
  input: unknown;
  target?: string;
  expected: {
    glo: unknown;
    effective?: { technology: string; operation: unknown; overrides: unknown };
  };
}

export interface InvalidVector {
  description: string;
  input: unknown;
  target?: string;
  expected: { code: GloErrorCode; issues: { pointer: string; detailContains?: string }[] };
}

function readVectors<Vector>(folder: string): [name: string, vector: Vector][] {
  const url = new URL(`../vectors/${folder}/`, import.meta.url);
  const files = readdirSync(url).sort();
  return files.map((file) => [
    file.replace('.json', ''),
    // The vector test checks this type.
    JSON.parse(readFileSync(new URL(file, url), 'utf8')) as Vector,
  ]);
}

/** JSON in a form that any language can write: bigint as decimal text. */
export function toJson(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}` : member)),
  );
}

export const validVectors = readVectors<ValidVector>('valid');
export const invalidVectors = readVectors<InvalidVector>('invalid');
