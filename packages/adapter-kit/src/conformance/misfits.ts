import type { TechnologyDescription } from '@ledger-ops/adapter';
import { type JsonSchema, readSchema } from '@ledger-ops/glo-core';

/** Places in a description where a `default` or an example does not match its own schema. */
export function misfitsOf(description: TechnologyDescription): string[] {
  const { content, ledgerProperties, nodeProperties, walletParameters, templates } = description;
  const schemas: [place: string, schema: unknown][] = [
    ['/ledgerProperties', ledgerProperties],
    ['/nodeProperties', nodeProperties],
    ['/walletParameters', walletParameters],
    ['/templates/code', templates?.code],
    ['/content/schema', content?.schema],
    // Native content has one schema, or one per operation type.
    ...Object.entries(content?.schema ?? {}).flatMap(([name, schema]): [string, unknown][] =>
      isOperation(name) ? [[`/content/schema/${name}`, schema]] : [],
    ),
  ];
  return schemas.flatMap(([place, schema]) => misfitsIn(schema, place));
}

function misfitsIn(schema: unknown, place: string): string[] {
  if (!isObject(schema)) return [];
  const { default: one, examples, properties, items, additionalProperties, propertyNames, anyOf } = schema;
  const given: [place: string, value: unknown][] = [
    ...(one === undefined ? [] : [[`${place}/default`, one] as [string, unknown]]),
    ...(Array.isArray(examples) ? examples : []).map((value, index): [string, unknown] => [
      `${place}/examples/${index}`,
      value,
    ]),
  ];
  const misfits = given.flatMap(([at, value]) => (fits(schema, value) ? [] : [at]));
  const members = Object.entries(isObject(properties) ? properties : {});
  return [
    ...misfits,
    ...members.flatMap(([name, member]) => misfitsIn(member, `${place}/properties/${name}`)),
    ...(Array.isArray(anyOf) ? anyOf : []).flatMap((form, index) =>
      misfitsIn(form, `${place}/anyOf/${index}`),
    ),
    ...misfitsIn(items, `${place}/items`),
    ...misfitsIn(additionalProperties, `${place}/additionalProperties`),
    ...misfitsIn(propertyNames, `${place}/propertyNames`),
  ];
}

/** Wraps the schema as a member, because a top-level schema must not be marked as secret. */
function fits(schema: JsonSchema, value: unknown): boolean {
  return readSchema({ type: 'object', properties: { value: schema } }).read({ value }).issues.length === 0;
}

function isOperation(name: string): boolean {
  return name === 'transfer' || name === 'contract_call' || name === 'contract_deploy';
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
