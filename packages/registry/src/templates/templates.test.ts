import { createHash } from 'node:crypto';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure, type World } from '../../test/world.ts';
import type { NewSpecification } from '../types.ts';

describeStores('template records', (open) => {
  const template = ({ store, registry, project }: World, templateId: string, projectUid = project.uid) =>
    store.transaction((tx) => registry.createTemplate(tx, { templateId, projectUid, name: templateId }));

  function specify({ store, registry }: World, input: Partial<NewSpecification> & { templateUid: string }) {
    return store.transaction((tx) =>
      registry.createSpecification(tx, {
        tag: '1.0',
        technology: 'ethereum',
        compilation: '{}',
        interface: '[]',
        code: '0x60ff',
        ...input,
      }),
    );
  }

  it('returns a template by project and id, and its versions by tag', async () => {
    const world = await createWorld(await open());
    const { registry, project } = world;
    const token = await template(world, 'erc20');
    expect(await registry.template(project.uid, 'erc20')).toEqual(token);
    const first = await specify(world, { templateUid: token.uid, tag: '1.0', compilerVersion: '0.8.30' });
    await specify(world, { templateUid: token.uid, tag: '0.9' });
    expect(first).toMatchObject({
      status: 'COMPILED',
      code: '0x60ff',
      compilerVersion: '0.8.30',
      checksum: createHash('sha256').update('0x60ff\n[]').digest('hex'),
    });
    expect(await registry.specification(token.uid, '1.0')).toEqual(first);
    expect(await registry.specification(token.uid, '2.0')).toBeNull();
    expect(await registry.template(project.uid, 'none')).toBeNull();
  });

  it('keeps template ids unique only within a project', async () => {
    const world = await createWorld(await open());
    await template(world, 'erc20');
    await template(world, 'erc20', world.other.uid);
    expect(await failure(template(world, 'erc20'))).toMatchObject({ problem: 'already-exists' });
  });

  it('puts a template under its project in the resource tree', async () => {
    const world = await createWorld(await open());
    const { store, registry, project, auth, caller, owner } = world;
    const { uid } = await store.transaction((tx) =>
      registry.createTemplate(tx, { projectUid: project.uid, name: 'Token', owner }),
    );
    const decision = await auth.decide(caller, ['smart-contract-template:update'], uid);
    expect(decision.result).toBe(true);
  });

  it('refuses to change an existing template version', async () => {
    const world = await createWorld(await open());
    const { uid } = await template(world, 'erc20');
    await specify(world, { templateUid: uid });
    expect(await failure(specify(world, { templateUid: uid, code: '0x00' }))).toMatchObject({
      problem: 'already-exists',
    });
    expect(await failure(specify(world, { templateUid: 'none' }))).toMatchObject({ problem: 'not-found' });
  });

  it('rejects malformed tags of template versions', async () => {
    const world = await createWorld(await open());
    const { uid } = await template(world, 'erc20');
    for (const tag of ['', 'a:b', 'a b']) {
      expect(await failure(specify(world, { templateUid: uid, tag }))).toMatchObject({
        errors: [{ pointer: '/version' }],
      });
    }
  });
});
