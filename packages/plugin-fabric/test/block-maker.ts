import type { FabricNetwork } from '@ledger-ops/devnet-fabric';
import type { TestNetwork } from './network.ts';
import { userOf } from './profile.ts';
import { type Actor, enter, freshKey, roleCall, settle, sign } from './stage.ts';

/** Makes the blocks of the development network. While it is active, nothing else makes blocks. */
export interface BlockMaker {
  /** Each block contains the waiting transactions and an unrelated write, because there are no empty blocks. */
  mine(blocks: number): Promise<void>;
  close(): Promise<void>;
}

export async function holdBlocks({ profile }: TestNetwork, { faults }: FabricNetwork): Promise<BlockMaker> {
  const somebody: Actor = await enter(profile, { member: userOf(profile, 0, 1) });
  faults.blocksHeld = true;
  return {
    async mine(blocks) {
      for (let made = 0; made < blocks; made += 1) {
        const signed = await sign(somebody, roleCall(profile, 'write', { key: freshKey() }));
        faults.ordererRefuses = false;
        await somebody.session.submit([{ ...signed, first: true }]);
        faults.blocksHeld = false;
        try {
          await settle(somebody.session, [signed.txId]);
        } finally {
          faults.blocksHeld = true;
        }
      }
    },
    async close() {
      faults.blocksHeld = false;
      await somebody.session.close();
    },
  };
}
