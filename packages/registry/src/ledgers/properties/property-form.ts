import { invalidRequest, type ProblemIssue } from '@ledger-ops/base';
import { type Json, type JsonObject, type JsonSchema, readSchema } from '@ledger-ops/glo-core';
import type { LedgerProperties } from '../../types.ts';
import type { MemberKind } from './bound-secrets.ts';
import type { NamedProperties } from './property-list.ts';
import type { SecretProperties } from './secrets.ts';

/** Properties of a record, checked and apart. */
export interface ReadProperties {
  plain: LedgerProperties;
  /** Write-only: kept sealed, and never answered. */
  secrets: SecretProperties;
}

/** The properties that a record may have. */
export interface PropertyForm {
  /** The schema of one; undefined where there is none of that name. */
  schemaOf(name: string): JsonObject | undefined;
  /** The part of a property in the record's secrets; of one that no record has: none. */
  kindOf(name: string): MemberKind;
  /**
   * Checks properties and brings them into one form, in the order of the schema.
   * @throws Problem `invalid-request`: every bad value by its pointer, unknown names by name. No values.
   */
  read(given: NamedProperties): ReadProperties;
}

/**
 * @param schema of an object that names all its members
 * @param record whose properties they are, for issues: `a node`
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
          detail: `is not a property of ${record}; known are ${[...members.keys()].join(', ')}`,
        }));
      const { value, issues } = checks.read(Object.fromEntries(given.filter(([name]) => members.has(name))));
      const all = [...unknown, ...issues.map((issue) => placed(issue, pointerOf))];
      if (all.length > 0) throw invalidRequest(all);
      // An object without issues is given back as one, of JSON.
      const read = value as JsonObject;
      const part = (isWanted: (name: string) => boolean) =>
        Object.fromEntries(
          [...members.keys()]
            .filter((name) => Object.hasOwn(read, name) && isWanted(name))
            .map((name) => [name, read[name] as Json]),
        );
      return {
        plain: part((name) => kindOf(name) !== 'secret'),
        // Secret ones are texts, as descriptions are read.
        secrets: part((name) => kindOf(name) === 'secret') as SecretProperties,
      };
    },
  };
}

/** An issue of the schema, at the property's place in the request. */
function placed({ pointer, detail }: ProblemIssue, pointerOf: (name: string) => string): ProblemIssue {
  const [, name = '', ...inside] = pointer.split('/');
  const of = name.replaceAll('~1', '/').replaceAll('~0', '~');
  return { pointer: [pointerOf(of), ...inside].join('/'), detail };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
