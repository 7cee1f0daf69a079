import { z } from '@hono/zod-openapi';
import { Secret } from '@ledger-ops/base';
import type { SendRequest } from '@ledger-ops/runtime';
import type { BodySpec } from '../../http/route.ts';
import { text, uuid } from '../../http/schemas.ts';
import { filledWith, gloMember, type Placed, passwordMember, readWithGlo } from '../operations/send-body.ts';

const schema = z
  .strictObject({
    actionId: uuid(),
    glo: gloMember,
    pluginParams: z.object({ walletPassword: passwordMember }).catchall(z.string().max(65_536)),
    wallet: text(64),
  })
  .openapi('SendTransactionBody');

/** Body of sendTransaction: a send request with an action id chosen by the client. */
export const transactionBody: BodySpec<Placed<SendRequest & { actionId: string }>> = {
  type: 'application/json',
  size: 'contract',
  schema,
  example: {
    actionId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11',
    wallet: 'alice',
    glo: {
      type: 'contract_call',
      options: {
        contractInstance: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
        methodName: 'transfer(address,uint256)',
        args: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '1'],
      },
    },
    pluginParams: { walletPassword: 'correct horse battery staple' },
  },
  read(input) {
    // If `pluginParams` is missing, the issues name its required members.
    const { data, glo, places } = readWithGlo(schema, input, filledWith({ pluginParams: {} }, input));
    const { actionId, wallet, pluginParams } = data;
    const request = {
      glo,
      actionId,
      walletId: wallet,
      walletPassword: new Secret(pluginParams.walletPassword),
      dependencies: [],
      intent: null,
      tag: null,
      pointers: {
        glo: '/glo',
        walletId: '/wallet',
        walletPassword: '/pluginParams/walletPassword',
        dependencies: '',
        intent: '',
        deadline: '',
        ledgerId: '',
      },
    };
    return { request, places };
  },
};
