import type { Principal } from '@ledger-ops/auth';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { reader } from '../../test/contract-reader.ts';
import { technologies } from '../../test/technologies.ts';
import { createWorld, failure } from '../../test/world.ts';
import { ContractTemplates } from '../contracts/template-service.ts';
import { Compilations } from './compilations.ts';
import type { Compiler } from './compiler.ts';
import { maxPending } from './turns.ts';

const source = (name: string) => `pragma solidity ^0.8.20; contract ${name} {}`;

describeStores('compilation turns', (open) => {
  async function start() {
    const store = await open();
    const world = await createWorld(store);
    const { auth, project, other } = world;
    const elsewhere = await store.transaction(async (tx) => {
      const organization = await auth.createOrganization(tx, { name: 'Elsewhere' });
      return await auth.createProject(tx, { organizationUid: organization.uid, name: 'Three' });
    });
    /** Compilations in the order in which they started, with functions that finish them. */
    const begun: string[] = [];
    const ends = new Map<string, (error?: Error) => void>();
    const compiler: Compiler = {
      compile: (request) =>
        new Promise((resolve, reject) => {
          const name = /contract (\w+)/.exec(request.source)?.[1] ?? '';
          begun.push(name);
          ends.set(name, (error) => {
            if (error === undefined) resolve({ ok: false, compilerVersion: null, messages: [] });
            else reject(error);
          });
        }),
      close: async () => {
        for (const end of ends.values()) end();
      },
    };
    const compilations = new Compilations({
      store,
      compiler,
      readInterface: async (_technology, text) => text,
      now: Date.now,
      timing: { look: 3_600_000 },
    });
    const templates = new ContractTemplates({
      store,
      auth,
      now: Date.now,
      reader,
      compilations,
      technologies,
    });
    const add = async (who: Principal, tag: string) => {
      await templates.createSpecification(who, `boxes-${who.projectId}`, {
        version: tag,
        sources: source(tag),
      });
    };
    const [one, two, three] = await Promise.all(
      [project, other, elsewhere].map((its) => world.callerIn(its)),
    );
    if (one === undefined || two === undefined || three === undefined) throw new Error('No callers.');
    for (const who of [one, two, three]) {
      await templates.createTemplate(who, { templateId: `boxes-${who.projectId}`, name: 'Boxes' });
    }
    const end = (name: string, error?: Error) => ends.get(name)?.(error);
    const until = (names: string[]) => expect.poll(() => begun).toEqual(names);
    return { ...world, compilations, add, one, two, three, end, until };
  }

  it('alternates between organizations when compiling, and between the projects of an organization', async () => {
    const { compilations, add, one, two, three, end, until } = await start();
    for (const tag of ['a1', 'a2', 'a3']) await add(one, tag);
    await add(two, 'b1');
    compilations.start();
    // While a version of an organization is compiled, no other version of that organization starts.
    await until(['a1']);
    // Compiling a version of another organization starts immediately.
    await add(three, 'c1');
    await until(['a1', 'c1']);
    end('c1');
    await add(three, 'c2');
    await until(['a1', 'c1', 'c2']);
    // No version of the organization's other project has been compiled yet.
    end('a1');
    await until(['a1', 'c1', 'c2', 'b1']);
    end('b1');
    await until(['a1', 'c1', 'c2', 'b1', 'a2']);
    await compilations.close();
  });

  it('compilations continue if one fails unexpectedly', async () => {
    const { compilations, add, one, two, end, until } = await start();
    await add(one, 'a1');
    await add(two, 'b1');
    compilations.start();
    await until(['a1']);
    end('a1', new Error('The compiler is gone.'));
    await until(['a1', 'b1']);
    await compilations.close();
  });

  it('limits the waiting compilations of a project and of an organization, and still accepts compilations of others', async () => {
    const { store, compilations, add, one, two, three } = await start();
    const fill = async (who: Principal, count: number) => {
      await add(who, 'first');
      await store.transaction(async (tx) => {
        const { specification, template } = tx.t;
        const rows = await tx.db.select().from(specification);
        const templates = await tx.db.select().from(template);
        const its = templates.find(({ templateId }) => templateId === `boxes-${who.projectId}`);
        const row = rows.find(({ templateUid }) => templateUid === its?.uid);
        if (row === undefined) throw new Error('There is no version.');
        for (let n = 1; n < count; n += 1) {
          await tx.db
            .insert(specification)
            .values({ ...row, uid: `${row.uid}-${n}`, id: row.id * 10_000 + n, tag: `t${n}` });
        }
      });
    };
    await fill(one, maxPending.project - 1);
    await add(one, 'last');
    const refusal = { problem: 'too-many-requests', retryAfter: 60 };
    expect(await failure(add(one, 'more'))).toMatchObject(refusal);
    await add(two, 'other');
    // Concurrent requests are counted one after the other.
    await fill(three, maxPending.project - 1);
    const atOnce = await Promise.allSettled(['x', 'y', 'z'].map((tag) => add(three, tag)));
    expect(atOnce.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await compilations.close();
  });
});
