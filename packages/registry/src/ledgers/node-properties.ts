import { invalidRequest } from '@ledger-ops/base';
import { z } from 'zod';
import type { MemberKind } from './bound-secrets.ts';
import type { NamedProperties, PropertyView } from './property-list.ts';
import { schemaIssues } from './schema-issues.ts';
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

/** The part of each property in the node's secrets. Secret ones are write-only. */
const kinds: Readonly<Record<keyof typeof schema.shape, MemberKind>> = {
  admin: 'plain',
  role: 'plain',
  msp_id: 'plain',
  tls_server_name: 'address',
  tls_ca_certificate: 'address',
  tls_client_certificate: 'address',
  authorization: 'secret',
  tls_client_key: 'secret',
};
const names = Object.keys(schema.shape);

/** The part of a property in the node's secrets; of one that no node has: none. */
export function nodePropertyKind(name: string): MemberKind {
  return isKnown(name) ? kinds[name] : 'plain';
}

function isKnown(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name);
}

/** Properties of a node, checked and apart. */
export interface NodeProperties {
  plain: Record<string, string | boolean>;
  secrets: Record<string, string>;
}

/** Checks properties of a node. @throws Problem `invalid-request` */
export function readNodeProperties({ values, pointerOf }: NamedProperties): NodeProperties {
  const parsed = schema.safeParse(values);
  if (!parsed.success) {
    const unknown = `is not a property of a node; known are ${names.join(', ')}`;
    throw invalidRequest(schemaIssues(parsed.error, unknown, pointerOf));
  }
  const plain: NodeProperties['plain'] = {};
  const secrets: NodeProperties['secrets'] = {};
  for (const [name, value] of Object.entries(parsed.data)) {
    if (value === undefined) continue;
    if (nodePropertyKind(name) === 'secret') secrets[name] = String(value);
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
    return [
      {
        id: nodeNumber * 256 + index + 1,
        type,
        value: nodePropertyKind(name) === 'secret' ? null : plain[name],
      },
    ];
  });
}
