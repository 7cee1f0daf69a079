import { invalidRequest } from '@ledger-ops/base';
import { z } from 'zod';
import { type GivenProperty, keepsSecret, namedProperties, type PropertyView } from './property-list.ts';
import { schemaIssues } from './schema-issues.ts';
import type { SecretProperties } from './secrets.ts';
import { line, pem } from './texts.ts';

const schema = z
  .strictObject({
    admin: z.union([z.boolean(), line], { error: 'must be true, false or a text' }),
    role: z.enum(['rpc', 'gateway', 'peer', 'orderer', 'ca'], {
      error: 'must be rpc, gateway, peer, orderer or ca',
    }),
    msp_id: line,
    tls_server_name: line,
    tls_ca_certificate: pem,
    tls_client_certificate: pem,
    authorization: line,
    tls_client_key: pem,
  })
  .partial();

/** Write-only. */
const secret: ReadonlySet<string> = new Set(['authorization', 'tls_client_key']);
const names = Object.keys(schema.shape);

/** Properties of a node, checked and apart. */
export interface NodeProperties {
  plain: Record<string, string | boolean>;
  secrets: Record<string, string>;
}

/**
 * Checks properties of a node. A secret without a value stays as it is in `kept`.
 *
 * @throws Problem `invalid-request`
 */
export function readNodeProperties(
  given: readonly GivenProperty[],
  kept: SecretProperties = {},
): NodeProperties {
  const { values, pointerOf } = namedProperties(given);
  for (const name of secret) {
    const held = kept[name];
    if (Object.hasOwn(values, name) && keepsSecret(values[name]) && held !== undefined) values[name] = held;
  }
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    const unknown = `is not a property of a node; known are ${names.join(', ')}`;
    throw invalidRequest(schemaIssues(parsed.error, unknown, pointerOf));
  }
  const plain: NodeProperties['plain'] = {};
  const secrets: NodeProperties['secrets'] = {};
  for (const [name, value] of Object.entries(parsed.data)) {
    if (value === undefined) continue;
    if (secret.has(name)) secrets[name] = String(value);
    else plain[name] = value;
  }
  return { plain, secrets };
}

/** Properties of a node as its record shows them. */
export function nodePropertyViews(
  nodeNumber: number,
  plain: Readonly<Record<string, unknown>>,
  secretNames: readonly string[],
): PropertyView[] {
  return names.flatMap((name, index) => {
    if (!Object.hasOwn(plain, name) && !secretNames.includes(name)) return [];
    const type = { id: index + 1, name };
    return [{ id: nodeNumber * 256 + index + 1, type, value: secret.has(name) ? null : plain[name] }];
  });
}
