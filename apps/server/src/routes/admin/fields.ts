import { z } from '@hono/zod-openapi';
import { isAddress, maxImageBytes } from '@ledger-ops/auth';

/** Text of a bounded length. Whatever else it must be is not looked at when it is longer. */
export const atMost = (maximum: number, detail?: string) =>
  z.string().max(maximum, { abort: true, ...(detail === undefined ? {} : { error: detail }) });

const line = (maximum: number) =>
  atMost(maximum)
    .min(1)
    .regex(/^\P{Cc}*$/u, 'must have no control characters');

/** Input fields. Every text has a bound. */
export const fields = {
  /** An id: of a record, a resource (its resourceID or UUID), or an identity (its identifier or serviceId). */
  id: z.string().min(1).max(320),
  name: line(200),
  value: z.string().max(4_096),
  /** Several lines. */
  message: atMost(10_000).regex(
    /^[\P{Cc}\r\n\t]*$/u,
    'must have no control characters but line ends and tabs',
  ),
  subject: line(200),
  email: atMost(254).refine(isAddress, 'must be an e-mail address'),
  url: atMost(2_048)
    .regex(/^https?:\/\/[^\s\p{Cc}]+$/u, 'must be an http or https URL')
    .refine((text) => URL.canParse(text), 'must be an http or https URL'),
  secret: z.string().min(1).max(8_192),
  /** A query parameter that is a list. */
  ids: z.array(z.string().min(1).max(320)).max(100),
  flag: (fallback: boolean) =>
    z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .default(fallback)
      .meta({ type: 'boolean', default: fallback }),
  int64: z
    .string()
    .max(15, { error: 'must be a whole number', abort: true })
    .regex(/^[0-9]{1,15}$/, 'must be a whole number')
    .transform(Number)
    .meta({ type: 'integer', format: 'int64' }),
} as const;

/** The body that sets an image (section 2.9): base64 and a format. */
export const imageBody = z
  .object({
    data: atMost(Math.ceil(maxImageBytes / 3) * 4, 'must be an image of at most 1 MB').refine(
      (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
      'must be base64',
    ),
    format: z.enum(['png', 'jpeg', 'webp', 'svg']),
  })
  .meta({ id: 'ImageBody' });
/** An image as the reference shows it. */
export const imageExample = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};

/** Ids of the records that examples name. */
export const exampleIds = {
  project: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20',
  serviceId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21',
} as const;

/** `resourceId` as a filter: empty is none. */
export const resourceIdFilter = z.string().max(320).optional().describe('Exactly this id; empty: all.');

/** The name of another record in a body: its id, or the record itself as it was read. */
export type Reference = string | { readonly [member: string]: unknown };

function reference(name: string, ...members: [string, ...string[]]) {
  const shape = Object.fromEntries(members.map((member) => [member, fields.id.nullish()]));
  const detail = `must be an id, or an object with ${members.join(' or ')}`;
  return z.union([fields.id, z.object(shape).meta({ id: name })], { error: detail }).refine((value) => {
    return typeof value === 'string' || members.some((member) => typeof value[member] === 'string');
  }, detail);
}

/** References in bodies: the id as text, or an object with one of the members. */
export const references = {
  identity: reference('IdentityReference', 'serviceId', 'identifier'),
  app: reference('AppReference', 'appId', 'resourceUUID', 'resourceId'),
  role: reference('RoleReference', 'name'),
  resource: reference('ResourceReference', 'resourceUUID', 'resourceID'),
  project: reference('ProjectReference', 'projectID', 'resourceUUID', 'resourceId'),
  organization: reference('OrganizationReference', 'organizationID', 'resourceUUID', 'resourceId'),
} as const;

/** The id in a reference that its schema admitted; the first member that is there counts. */
export function idIn(value: Reference, ...members: string[]): string {
  if (typeof value === 'string') return value;
  for (const member of members) {
    const id = value[member];
    if (typeof id === 'string') return id;
  }
  throw new TypeError(`The reference has none of ${members.join(', ')}: its schema was not applied.`);
}
