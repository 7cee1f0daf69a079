import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { type Json, type JsonObject, type JsonSchema, readSchema } from '@ledger-ops/glo-core';
import type { LedgerProperties } from '../../types.ts';
import type { MemberKind } from './bound-secrets.ts';
import type { NamedProperties } from './named-properties.ts';
import type { SecretProperties } from './secrets.ts';

/** Checked properties of a record, with secrets separated from the others. */
export interface ReadProperties {
  plain: LedgerProperties;
  /** Secrets, which are stored sealed and never returned. */
  secrets: SecretProperties;
}

/** The properties that a record may have. */
export interface PropertyForm {
  /** Returns the schema of a property; undefined if there is no property of that name. */
  schemaOf(name: string): JsonObject | undefined;
  /** Whether a property is a secret, an address that secrets are sent to, or neither. */
  kindOf(name: string): MemberKind;
  /**
   * Checks and normalizes properties, in the order of the schema.
   * @throws Problem `invalid-request` with the pointers of invalid values and the names of unknown properties, but without
   * values
   */
  read(given: NamedProperties): ReadProperties;
}

/**
 * @param schema of an object that lists all its members
 * @param record name of the record in issues: `a node`
 */
export function propertyForm(schema: JsonSchema, record: string): PropertyForm {
  const members = new Map(Object.entries(isObject(schema.properties) ? schema.properties : {}));
  const checks = readSchema(schema);
  const schemaOf = (name: string) => {
    const member = members.get(name);
    return isObject(member) ? member : undefined;
  };
  const kindOf = (name: string): MemberKind => {
    const member = schemaOf(name);
    if (member?.writeOnly === true) return 'secret';
    return member?.['x-address'] === true ? 'address' : 'plain';
  };
  return {
    schemaOf,
    kindOf,
    read({ values, pointerOf }) {
      const given = Object.entries(values).filter(([, value]) => value !== undefined);
      const unknown = given
        .filter(([name]) => !members.has(name))
        .map(([name]) => ({
          pointer: pointerOf(name),
          detail: `is not a property of ${record}; allowed properties are ${[...members.keys()].join(', ')}`,
        }));
      const { value, issues } = checks.read(Object.fromEntries(given.filter(([name]) => members.has(name))));
      const all = [...unknown, ...issues.map((issue) => placed(issue, pointerOf))];
      if (all.length > 0) throw invalidRequest(all);
      // A value without issues is a JSON object.
      const read = value as JsonObject;
      const part = (isWanted: (name: string) => boolean) =>
        Object.fromEntries(
          [...members.keys()]
            .filter((name) => Object.hasOwn(read, name) && isWanted(name))
            .map((name) => [name, read[name] as Json]),
        );
      return {
        plain: part((name) => kindOf(name) !== 'secret'),
        // Descriptions may only define secrets of type string.
        secrets: part((name) => kindOf(name) === 'secret') as SecretProperties,
      };
    },
  };
}

/** Converts an issue of the schema to the property's pointer in the request. */
function placed({ pointer, detail }: ProblemIssue, pointerOf: (name: string) => string): ProblemIssue {
  const [, name = '', ...inside] = pointer.split('/');
  const of = name.replaceAll('~1', '/').replaceAll('~0', '~');
  return { pointer: [pointerOf(of), ...inside].join('/'), detail };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
