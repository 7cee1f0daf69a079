import { z } from '@hono/zod-openapi';
import { Secret } from '@ledger-ops/base';
import type { EmulateActionRequest } from '@ledger-ops/runtime';
import type { BodySpec } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { gloMember, type Placed, passwordMember, readWithGlo, transferGloExample } from './send-body.ts';

const envelope = z
  .strictObject({
    glo: gloMember,
    walletId: text(64).optional(),
    ledgerId: text(64).optional().openapi({
      description:
        'Required without walletId, unless glo calls a contract whose ledger is known: a registered one, or one that an action deploys.',
    }),
    walletPassword: passwordMember.optional().openapi({
      description:
        'If the result depends on the caller, the query is signed by this wallet. `figures.identity` names the identity that signed it.',
    }),
  })
  .openapi('EmulateBody');

export const emulateBody: BodySpec<Placed<EmulateActionRequest>> = {
  type: 'application/json',
  size: 'contract',
  schema: envelope,
  example: {
    walletId: 'alice',
    glo: transferGloExample,
  },
  read(input) {
    const { data, glo, places } = readWithGlo(envelope, input);
    const { walletId, ledgerId, walletPassword } = data;
    const request = {
      glo,
      ...(walletId === undefined ? {} : { walletId }),
      ...(ledgerId === undefined ? {} : { ledgerId }),
      ...(walletPassword === undefined ? {} : { walletPassword: new Secret(walletPassword) }),
      pointers: {
        glo: '/glo',
        walletId: '/walletId',
        ledgerId: '/ledgerId',
        walletPassword: '/walletPassword',
      },
    };
    return { request, places };
  },
};

/** Result of a dry run. */
export const emulatedSchema = z
  .object({
    result: z.unknown().openapi({ description: 'Decoded result; quantities are decimal text.' }),
    fee: z.string().nullable().openapi({ description: 'Estimated fee in the ledger’s smallest unit.' }),
    figures: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'Further information from the ledger.' }),
    overrides: z.array(z.unknown()).openapi({
      description: 'Values in the GLO’s `options` that `meta` replaced, because `meta` takes precedence.',
    }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'Reasons why the result may be different if the operation is sent.' }),
  })
  .openapi('Emulated');
