import type { z } from '@hono/zod-openapi';
import type { Admin, Archive, ArchivedType, Principal } from '@ledger-ops/auth';
import type { PageBody } from '@ledger-ops/base';
import { ok } from '../../http/answer.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { answered } from '../admin/answers.ts';
import { fields } from '../admin/fields.ts';
import { nextOf } from './cursor.ts';

/** Query parameter of lists. */
export const archivedQuery = {
  archived: fields
    .flag(false)
    .describe('Those that are archived, or stand in what is, in place of the others.'),
};

/** Makes bodies of records, with the time since which they are archived. */
export function presenter<View extends { readonly id: number }>(
  { times }: Pick<Archive, 'times'>,
  uidOf: (view: View) => string,
  body: (view: View, archivedAt?: number) => object,
) {
  const bodiesOf = async (views: readonly View[]) => {
    const since = await times(views.map(uidOf));
    return views.map((view) => body(view, since.get(uidOf(view))));
  };
  return {
    one: async (view: View) => ok((await bodiesOf([view]))[0]),
    page: async (found: PageBody<View>) =>
      ok({ items: await bodiesOf(found.pageContent), next: nextOf(found) }),
  };
}

/** A kind of records that can be archived. */
interface Archivable<Id extends string> {
  readonly type: ArchivedType;
  /** Path of one of them, with the parameter `id` in braces. */
  readonly path: string;
  readonly id: Id;
  readonly params: z.ZodObject & z.ZodType<Record<Id, string>>;
  /** Its name in operation ids. */
  readonly name: string;
  /** With its article. */
  readonly one: string;
  readonly schema: z.ZodType;
  readonly show: (principal: Principal, id: string) => Promise<ReturnType<typeof ok>>;
}

/** Puts a record away, and takes it out again. */
export function archiveRoutes<Id extends string>({ archive }: Admin, kind: Archivable<Id>): Route[] {
  const { type, path, id, params, name, one, schema, show } = kind;
  const common = {
    method: 'post',
    service: 'administration',
    params,
    answers: answered(schema),
    problems: ['not-found', 'conflict'],
  } as const;
  const permission = { needs: `${type}:delete`, on: 'record' } as const;
  return [
    defineRoute({
      ...common,
      path: `${path}/archive`,
      operationId: `adminArchive${name}`,
      summary: `Archive ${one}`,
      description:
        'From the answer on it, and all that stands in it, is only read: tokens, keys and sign-ins of applications and accounts are refused, no operation is accepted, invitations are not taken, webhooks and streams are silent, and lists leave it out. Operations that were accepted go on to their ends: where they shall not, suspend the project before. Its id stays taken. What holds the caller, the console or the last administrator is not archived. Again: nothing happens.',
      permission,
      handle: async ({ principal, params }) => {
        await archive.archive(principal, type, params[id]);
        return await show(principal, params[id]);
      },
    }),
    defineRoute({
      ...common,
      path: `${path}/restore`,
      operationId: `adminRestore${name}`,
      summary: `Restore ${one} that is archived`,
      description:
        'It is as it was: API tokens, keys and tokens of applications that were not disabled or replaced count again, what users had agreed to begins with a new sign-in, and webhooks tell what happened meanwhile. The caller must hold all that its accounts and applications may do. Of what is not archived: nothing happens.',
      permission: { ...permission, gives: true },
      handle: async ({ principal, params }) => {
        await archive.restore(principal, type, params[id]);
        return await show(principal, params[id]);
      },
    }),
  ];
}
