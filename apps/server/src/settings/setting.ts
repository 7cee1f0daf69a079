import { z } from '@hono/zod-openapi';
import { createAddressCheck } from '@ledger-ops/adapter/outbound';

/** Declaration of a setting, used for parsing and documentation. */
export interface Setting {
  /** Parses the environment variable or the value in the file. The schema's default applies if neither is given. */
  readonly schema: z.ZodType;
  /** One or two sentences in Markdown. */
  readonly about: string;
  /** Description of the default, if the schema's default does not show it. */
  readonly otherwise?: string;
  /**
   * Whether the setting contains a secret or a URL with one. It is then removed from the environment after
   * parsing, and may be in a separate file named by `<name>_FILE`.
   */
  readonly secret?: true;
  /**
   * If present, an empty environment variable is refused instead of being treated as absent, because the
   * default would use other data. The string completes the error message: `to use …`.
   */
  readonly refusesEmpty?: string;
  /** If true, the setting is not allowed in the file of `CONFIG_FILE`. */
  readonly environmentOnly?: true;
}

/** Settings by name; the names are the same in the environment and in the file. */
export type SettingsTable = Readonly<Record<string, Setting>>;

/** Schema of non-empty text. */
export const text = z.string('must be text').min(1, 'must not be empty');

/** Schema of an integer in digits. */
export function whole(minimum: number, maximum: number, fallback: number) {
  return wholeOf(minimum, maximum).default(fallback);
}

/** Schema of an integer without a default. */
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

/** Schema of an enumeration. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const last = words.at(-1) ?? '';
  return z.enum(words, { error: said(`must be one of ${words.slice(0, -1).join(', ')} or ${last}`) });
}

/** Schema of a list: comma-separated in the environment, an array in the file. */
export function list(item: z.ZodType<string, string>) {
  const split = z
    .string()
    .transform((value) => value.split(',').map((part) => part.trim()))
    .transform((parts) => parts.filter((part) => part !== ''));
  return z
    .union([z.array(z.string()), split], 'must be a list of text values')
    .pipe(z.array(item))
    .default([]);
}

/** Schema of the URL of a service or page. */
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

/** Schema of a web origin. */
export const origin = z.string().refine((value) => URL.parse(value)?.origin === value && value !== 'null', {
  error: said('must be origins such as https://app.example'),
});

/** Schema of an IP address or network. */
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

/** Creates an error message with the rule and the actual value, on one line of limited length. Not for secrets. */
export function said(must: string) {
  return ({ input }: { readonly input?: unknown }) => `${must}, not ${JSON.stringify(input)?.slice(0, 100)}`;
}
