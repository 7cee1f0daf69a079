import { z } from '@hono/zod-openapi';
import type { PointerMap } from '../../http/problems/pointers.ts';
import { text } from '../../http/schemas.ts';

const mostProperties = 256;

/** Properties of a record, by their names. */
export const properties = z.record(z.string(), z.unknown()).openapi({
  description: 'Values by name, of any type; null for a secret, which is never answered.',
});

/** The same as a body gives them. */
export const givenProperties = z
  .record(text(64), z.unknown())
  .refine((all) => Object.keys(all).length <= mostProperties, `must have at most ${mostProperties} members`)
  .openapi({ description: 'Values by name. A secret that is put back as null stays.' });

type Given = Readonly<Record<string, unknown>>;

/** As the older services list them. */
export function listOf(given: Given): { type: { name: string }; value: unknown }[] {
  return Object.entries(given).map(([name, value]) => ({ type: { name }, value }));
}

/** Properties of a record of the older services, by name. */
export function byName(
  list: readonly { readonly type: { readonly name: string }; readonly value: unknown }[],
): Record<string, unknown> {
  return Object.fromEntries(list.map(({ type, value }) => [type.name, value ?? null]));
}

/** Where issues of {@link listOf} stand in a body that gave them by name. */
export function placesOf(given: Given | null | undefined, at = ''): PointerMap {
  return Object.keys(given ?? {}).flatMap((name, index) => {
    const to = `${at}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const from = `${at}/properties/${index}`;
    return [
      [`${from}/value`, to],
      [`${from}/type/name`, to],
      [from, to],
    ] as const;
  });
}
