import * as z from 'zod/mini';
import { currentGloVersion, gloSchemas } from './schema.ts';

/**
 * The JSON Schema (2020-12) of a GLO in its canonical form, made from the schemas that the parser uses. It holds
 * each member for itself; what holds between members, and the older forms, only the parser knows. A new object
 * with each call.
 */
export function gloJsonSchema(): Record<string, unknown> {
  const { transfer, contract_call, contract_deploy } = gloSchemas;
  const union = z.discriminatedUnion('type', [transfer, contract_call, contract_deploy]);
  return {
    ...z.toJSONSchema(union, { target: 'draft-2020-12', io: 'input' }),
    title: 'Generic ledger operation (GLO)',
    description: `Canonical form, version ${currentGloVersion}.`,
  };
}
