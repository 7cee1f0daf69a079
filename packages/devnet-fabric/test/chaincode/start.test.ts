import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { connectChaincode } from '../../src/chaincode/connect.ts';
import { sampleChaincodes } from '../../src/chaincode/samples.ts';
import { type RunningChaincode, startChaincode } from '../../src/chaincode/start.ts';
import { createTestLedger } from './test-ledger.ts';

const { raw } = sampleChaincodes;
const caller = { mspId: 'Org1MSP', certificate: 'none' };
const running: RunningChaincode[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a chaincode process', () => {
  it('a chaincode process responds after it has started, and exits when it is stopped', async () => {
    const chaincode = await startChaincode({ packageId: 'raw:1', contract: raw });
    running.push(chaincode);
    const connection = connectChaincode({ name: 'raw', address: chaincode.address });
    const answer = await createTestLedger({ raw: connection }, caller).evaluate('raw', ['bytes']);
    expect(answer.status).toBe(200);
    await connection.close();
    await chaincode.stop();
    await chaincode.ended;
    expect(alive(chaincode.pid)).toBe(false);
  });

  it('a chaincode process does not inherit the environment', async () => {
    process.env.LEDGER_OPS_TEST_SECRET = 'secret';
    try {
      const program = fileURLToPath(new URL('./prints-environment.cjs', import.meta.url));
      const lines: string[] = [];
      const start = startChaincode({
        ...{ packageId: 'raw:1', contract: program, env: { OWN: 'own' } },
        onOutput: (line) => lines.push(line),
      });
      await expect(start).rejects.toThrow(/did not start at 127\.0\.0\.1:\d+\. It printed:/);
      const seen: unknown = JSON.parse(lines[0] ?? '');
      expect(seen).toMatchObject({ OWN: 'own', CHAINCODE_ID: 'raw:1', PATH: expect.any(String) });
      expect(seen).not.toHaveProperty('LEDGER_OPS_TEST_SECRET');
    } finally {
      delete process.env.LEDGER_OPS_TEST_SECRET;
    }
  });

  it('the error of a chaincode process that fails to start contains the reason', async () => {
    await expect(startChaincode({ packageId: 'raw:1', contract: '/nowhere' })).rejects.toThrow(
      'There is no chaincode',
    );
    await expect(startChaincode({ packageId: 'raw:1', contract: raw, address: 'host' })).rejects.toThrow(
      'host:port',
    );
    const sockets: Socket[] = [];
    const taken = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const at = taken.address();
    const port = at !== null && typeof at === 'object' ? at.port : 0;
    try {
      await expect(
        startChaincode({ packageId: 'raw:1', contract: raw, address: `127.0.0.1:${port}` }),
      ).rejects.toThrow('EADDRINUSE');
    } finally {
      taken.close();
      for (const socket of sockets) socket.destroy();
    }
  });

  it('a connection rejects a service with another package id', async () => {
    const chaincode = await startChaincode({ packageId: 'raw:1', contract: raw });
    running.push(chaincode);
    const connection = connectChaincode({ name: 'raw', address: chaincode.address, packageId: 'raw:2' });
    await expect(
      createTestLedger({ raw: connection }, caller).evaluate('raw', ['bytes']),
    ).rejects.toMatchObject({
      reason: 'unreachable',
      message: expect.stringContaining('with the package id "raw:1", but "raw:2" is expected'),
    });
    await connection.close();
  });

  it('a connection dials again after the service was restarted', async () => {
    const first = await startChaincode({ packageId: 'raw:1', contract: raw });
    running.push(first);
    const { address } = first;
    const connection = connectChaincode({ name: 'raw', address });
    const ledger = createTestLedger({ raw: connection }, caller);
    await ledger.submit('raw', ['put', 'k', 'v']);
    await first.stop();
    await expect(ledger.evaluate('raw', ['get', 'k'])).rejects.toMatchObject({
      reason: expect.stringMatching(/^(ended|unreachable)$/),
    });
    running.push(await startChaincode({ packageId: 'raw:1', contract: raw, address }));
    expect(Buffer.from((await ledger.evaluate('raw', ['get', 'k'])).payload).toString()).toBe('v');
    await connection.close();
    await expect(ledger.evaluate('raw', ['get', 'k'])).rejects.toMatchObject({ reason: 'closed' });
  });

  it('a chaincode process exits with its parent, even if the parent is killed', async () => {
    const module = new URL('../../src/chaincode/start.ts', import.meta.url).href;
    const script = `
      const { startChaincode } = await import(${JSON.stringify(module)});
      const chaincode = await startChaincode({ packageId: 'raw:1', contract: ${JSON.stringify(raw)} });
      console.log(chaincode.pid);
      setInterval(() => undefined, 60000);`;
    const flags = ['--conditions=@ledger-ops/source', '--input-type=module', '-e', script];
    const parent = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const pid = Number(line);
    expect(alive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => alive(pid), { timeout: 30_000 }).toBe(false);
  });
});
