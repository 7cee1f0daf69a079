import { z } from '@hono/zod-openapi';
import { isAddress, maxImageBytes } from '@ledger-ops/auth';
import { isMisleading, misleadingDetail } from '@ledger-ops/base';

/** A string of limited length. If it is too long, the other rules are not checked. */
export const atMost = (maximum: number, detail?: string) =>
  z.string().max(maximum, { abort: true, ...(detail === undefined ? {} : { error: detail }) });

const line = (maximum: number) =>
  atMost(maximum)
    .min(1)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .refine((text) => !isMisleading(text), misleadingDetail);

/** Input fields. Every string has a maximum length. */
export const fields = {
  /** Id of a record, a resource (resourceID or UUID), or an identity (identifier or serviceId). */
  id: z.string().min(1).max(320),
  name: line(200),
  value: z.string().max(4_096),
  /** Multi-line text. */
  message: atMost(10_000)
    .regex(/^[\P{Cc}\r\n\t]*$/u, 'must not contain control characters except line ends and tabs')
    .refine((text) => !isMisleading(text), misleadingDetail),
  subject: line(200),
  email: atMost(254).refine(isAddress, 'must be an e-mail address'),
  url: atMost(2_048)
    .regex(/^https?:\/\/[^\s\p{Cc}]+$/u, 'must be an http or https URL')
    .refine((text) => URL.canParse(text), 'must be an http or https URL'),
  secret: z.string().min(1).max(8_192),
  /** A list as a query parameter. */
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

/** Body that sets an image: base64 data and a format (specification, section 2.9). */
export const imageBody = z
  .object({
    data: atMost(Math.ceil(maxImageBytes / 3) * 4, 'must be an image of at most 1 MB').refine(
      (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text),
      'must be base64',
    ),
    format: z.enum(['png', 'jpeg', 'webp', 'svg']),
  })
  .meta({ id: 'ImageBody' });
/** Example image for the API reference. */
export const imageExample = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  format: 'png',
};

/** Record ids in examples. */
export const exampleIds = {
  project: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20',
  serviceId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21',
} as const;
