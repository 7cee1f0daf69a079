import { z } from '@hono/zod-openapi';
import { invalidRequest, Secret } from '@ledger-ops/base';
import type { EmulateActionRequest } from '@ledger-ops/runtime';
import type { BodySpec } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { gloMember, type Placed, passwordMember, readWithGlo, transferGloExample } from './send-body.ts';

const envelope = z
  .strictObject({
    glo: gloMember,
    walletId: text(64).optional(),
    ledgerId: text(64).optional(),
    walletPassword: passwordMember.optional().openapi({
      description:
        'Asks the ledger as the wallet, with a signature, where it makes a difference who asks; figures.identity says who it was.',
    }),
  })
  .openapi('EmulateBody');

/** The body of emulate. */
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
    if (walletId === undefined && ledgerId === undefined) {
      throw invalidRequest([{ pointer: '/walletId', detail: 'is required, unless ledgerId is given' }]);
    }
    const request = {
      glo,
      ...(walletId === undefined ? {} : { walletId }),
      ...(ledgerId === undefined ? {} : { ledgerId }),
      ...(walletPassword === undefined ? {} : { walletPassword: new Secret(walletPassword) }),
      pointers: {
        ...{ glo: '/glo', walletId: '/walletId', ledgerId: '/ledgerId' },
        walletPassword: '/walletPassword',
      },
    };
    return { request, places };
  },
};

/** Answer of a dry run. */
export const emulatedSchema = z
  .object({
    result: z.unknown().openapi({ description: 'Decoded result; quantities are decimal text.' }),
    fee: z.string().nullable().openapi({ description: 'Estimated fee in the ledger’s smallest unit.' }),
    figures: z.record(z.string(), z.unknown()).openapi({ description: 'More of what the ledger said.' }),
    overrides: z.array(z.unknown()).openapi({ description: 'What meta changed in options.' }),
    warnings: z
      .array(z.string())
      .openapi({ description: 'What may make the result differ from that of the same operation sent.' }),
  })
  .openapi('Emulated');
