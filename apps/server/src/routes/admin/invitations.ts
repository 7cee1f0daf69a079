import { z } from '@hono/zod-openapi';
import type { Admin } from '@ledger-ops/auth';
import { noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered } from './answers.ts';
import { at, creation } from './creation.ts';
import { pageOf, pageOfAll, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { exampleIds, fields } from './fields.ts';
import { invitationBody, invitationSchema } from './records.ts';

const service = 'administration';
const path = '/v1/admin/invitations';
const invite = { needs: 'organization:invite', on: 'record' } as const;
/** The inviter who cancels and the invited person who responds need no permission. */
const concerned = { needs: 'organization:invite', on: 'self' } as const;
const states = ['PENDING', 'ACCEPTED', 'REJECTED', 'CANCELED', 'EXPIRED'] as const;
const params = z.object({ invitationId: fields.int64 });

export function invitationRoutes({ invitations }: Admin): Route[] {
  const { answer, ...created } = creation(invitationSchema, invitationBody, ({ id }) => at(path, id));
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'adminListInvitations',
      summary: 'List invitations that the caller can manage or has received',
      service,
      permission: invite,
      query: z.strictObject({
        ...pageQuery,
        state: z.enum(states).default('PENDING'),
        resourceId: fields.id
          .optional()
          .describe('Invitations into this organization, or that offer a role on this resource.'),
      }),
      answers: answered(pageOfSchema('AdminInvitationPage', invitationSchema)),
      async handle({ principal, query: { state, resourceId, ...query } }) {
        const paging = pagingOf(query);
        const all = await invitations.list(principal, state, resourceId);
        return ok(pageOf(pageOfAll(paging, all), invitationBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'adminInvite',
      summary: 'Invite a person to an organization by mail',
      description:
        'The mail names the inviter and the organization, and contains a secret that lets a person without an account set a first password. With `saml`, it contains no secret. If no mail server is configured, nobody receives the mail; the response to an administrator of the installation then contains the link (`initLink`). Mails are limited per organization and per address.',
      service,
      permission: { ...invite, gives: true },
      body: jsonBody(
        z.strictObject({
          organizationId: fields.id,
          email: fields.email,
          subject: fields.subject.nullish(),
          message: fields.message.nullish(),
          saml: z.boolean().default(false),
          roles: z
            .array(z.strictObject({ resourceId: fields.id, role: fields.name }))
            .max(50)
            .default([]),
        }),
        {
          organizationId: 'example',
          email: 'ada@example.com',
          roles: [{ resourceId: exampleIds.project, role: 'operator' }],
        },
      ),
      ...created,
      problems: ['not-found', 'conflict', 'already-exists', 'too-many-requests'],
      async handle({ principal, body, claim }) {
        const { invitation, initLink } = await invitations.create(principal, body, claim);
        return answer(invitation, initLink === undefined ? {} : { initLink });
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{invitationId}`,
      operationId: 'adminGetInvitation',
      summary: 'Get an invitation',
      service,
      permission: concerned,
      params,
      answers: answered(invitationSchema),
      problems: ['not-found'],
      handle: async ({ principal, params: { invitationId } }) =>
        ok(invitationBody(await invitations.get(principal, invitationId))),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/{invitationId}`,
      operationId: 'adminCancelInvitation',
      summary: 'Cancel an invitation',
      service,
      permission: concerned,
      params,
      answers: { 204: { description: 'The invitation can no longer be accepted.' } },
      problems: ['not-found', 'conflict'],
      async handle({ principal, params: { invitationId } }) {
        await invitations.respond(principal, { id: invitationId, move: 'CANCELED' });
        return noContent;
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/answer`,
      operationId: 'adminAnswerInvitation',
      summary: 'Accept or reject an invitation',
      description: 'Only the identity with the invited address may do this.',
      service,
      permission: { needs: [], on: 'self' },
      body: jsonBody(z.strictObject({ invitationToken: z.string().min(1).max(512), accept: z.boolean() }), {
        invitationToken: 'inv_…',
        accept: true,
      }),
      answers: answered(invitationSchema),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, body: { invitationToken: token, accept } }) => {
        const move = accept ? 'ACCEPTED' : 'REJECTED';
        return ok(invitationBody(await invitations.respond(principal, { token, move })));
      },
    }),
  ];
}
