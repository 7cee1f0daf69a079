import { z } from '@hono/zod-openapi';
import { createAddressCheck } from '@ledger-ops/outbound';

/** One setting, declared once: what reads it, and what the documentation says of it. */
export interface Setting {
  /** Reads the text of the environment, or the value of the file; its default holds where nothing is given. */
  readonly schema: z.ZodType;
  /** One sentence or two, in Markdown. */
  readonly about: string;
  /** In words what holds where nothing is given, where the schema's default does not say it. */
  readonly otherwise?: string;
  /**
   * It holds a secret, or a URL with one: it is removed from the environment once it is read, and may stand alone in a
   * file that `<name>_FILE` names.
   */
  readonly secret?: true;
  /** It may not stand in the file of `CONFIG_FILE`. */
  readonly environmentOnly?: true;
}

/** Settings by their names, which are the same in the environment and in the file. */
export type SettingsTable = Readonly<Record<string, Setting>>;

/** Schema of text that says something. */
export const text = z.string('must be text').min(1, 'must not be empty');

/** Schema of a whole number, in digits. */
export function whole(minimum: number, maximum: number, fallback: number) {
  return wholeOf(minimum, maximum).default(fallback);
}

/** The same where nothing need be given. */
export function wholeOf(minimum: number, maximum: number) {
  const error = said(`must be a whole number from ${minimum} to ${maximum}`);
  const digits = z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number);
  return z
    .union([z.int(), digits], { error })
    .refine((value) => value >= minimum && value <= maximum, { error });
}

/** Schema of one of these words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const last = words.at(-1) ?? '';
  return z.enum(words, { error: said(`must be one of ${words.slice(0, -1).join(', ')} or ${last}`) });
}

/** Schema of a list: in the environment separated by commas, in the file an array. */
export function list(item: z.ZodType<string, string>) {
  const split = z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .transform((parts) => parts.filter((part) => part !== ''));
  return z
    .union([z.array(z.string()), split], 'must be a list of texts')
    .pipe(z.array(item))
    .default([]);
}

/** Schema of the address of a service or page. */
export const httpUrl = z
  .string('must be text')
  .refine((value) => {
    const url = URL.parse(value);
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.search === '' &&
      url.hash === '' &&
      url.username === ''
    );
  }, 'must be an absolute http or https URL without credentials, query and fragment')
  .transform((value) => value.replace(/\/+$/, ''));

/** Schema of the origin of web pages. */
export const origin = z.string().refine((value) => URL.parse(value)?.origin === value && value !== 'null', {
  error: said('must be origins such as https://app.example'),
});

/** Schema of an address or a network. */
export const network = z.string().refine(
  (value) => {
    try {
      createAddressCheck({ open: [value] });
      return true;
    } catch {
      return false;
    }
  },
  { error: said('must be addresses and networks such as 127.0.0.1 or 10.0.0.0/8') },
);

/** Message of what a value must be and what it is: one line, of bounded length. For values that hold no secret. */
export function said(must: string) {
  return ({ input }: { readonly input?: unknown }) => `${must}, not ${JSON.stringify(input)?.slice(0, 100)}`;
}
