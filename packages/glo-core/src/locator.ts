import { toLocator } from './normalise.ts';
import { check, type ParseOptions } from './parse.ts';
import { invalid, toError } from './problems.ts';
import { locatorProblems } from './rules.ts';
import { type LocatorDocument, locatorSchema } from './schema/schema.ts';
import { createReader } from './schema/schema-reader.ts';
import type { ContractLocator, Locator } from './types.ts';

const readLocator = /*@__PURE__*/ createReader(locatorSchema);

/**
 * Reads a resource locator, `{lookup_service: {type, value}, resource}`, from a parsed JSON value.
 *
 * @throws {GloError} with every issue found; `wrong-ledger` if only the ledger differs from the target.
 */
export function parseLocator(input: unknown, options: ParseOptions = {}): Locator {
  const { pointer = '', target } = options;
  const rules = target === undefined ? [] : locatorProblems(input, pointer, [], target);
  return toLocator(check(readLocator, input, pointer, rules));
}

/**
 * Writes a locator as JSON.
 *
 * @param pointer JSON Pointer for the issue.
 * @throws {GloError} for an `unresolved` locator, which has no canonical form: resolve it first.
 */
export function serialiseLocator(locator: ContractLocator, pointer = ''): LocatorDocument {
  switch (locator.type) {
    case 'service':
      return { lookup_service: { type: 'service', value: 'service' }, resource: locator.resource };
    case 'ledger':
      return { lookup_service: { type: 'ledger', value: locator.technology }, resource: locator.resource };
    case 'unresolved':
      throw toError([
        invalid(
          pointer,
          'is an unresolved contract in a deprecated form; resolve it with resolveContract first',
        ),
      ]);
  }
}
