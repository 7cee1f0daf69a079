import type { Dialect } from './dialect.ts';

/** What exists: ledgers and their nodes, contract groups and contracts, templates. */
export function registryTables(d: Dialect) {
  return {
    ledger: d.table(
      'ledger',
      {
        /** Also the id of its resource. */
        uid: d.text('uid').primaryKey(),
        /** Counter of the deprecated record. */
        id: d.int('id').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        /** Null = of the deployer, usable in every project. */
        projectId: d.text('project_id'),
        name: d.text('name').notNull(),
        technology: d.text('technology').notNull(),
        active: d.bool('active').notNull(),
        /** JSON object. */
        properties: d.text('properties').notNull(),
        /** The registry's counter when the ledger or a node of it was changed last. */
        revision: d.int('revision').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('ledger_ledger_id').on(t.ledgerId)],
    ),

    node: d.table(
      'node',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        nodeId: d.text('node_id').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        name: d.text('name').notNull(),
        uri: d.text('uri').notNull(),
        client: d.text('client'),
        properties: d.text('properties').notNull(),
        /** The ledger's default node has the lowest. */
        position: d.int('position').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('node_node_id').on(t.nodeId), d.index('node_ledger').on(t.ledgerUid, t.position)],
    ),

    contractGroup: d.table(
      'contract_group',
      {
        groupId: d.text('group_id').primaryKey(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('contract_group_project').on(t.projectId, t.createdAt)],
    ),

    contract: d.table(
      'contract',
      {
        contractId: d.text('contract_id').primaryKey(),
        groupId: d.text('group_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        /** As it was registered. */
        interface: d.text('interface').notNull(),
        /** As the adapter normalised it. */
        parsedInterface: d.text('parsed_interface').notNull(),
        ledgerUid: d.text('ledger_uid').notNull(),
        ledgerId: d.text('ledger_id').notNull(),
        nativeReference: d.text('native_reference').notNull(),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.index('contract_by_group').on(t.groupId, t.createdAt)],
    ),

    template: d.table(
      'template',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateId: d.text('template_id').notNull(),
        projectId: d.text('project_id').notNull(),
        name: d.text('name').notNull(),
        description: d.text('description'),
        createdAt: d.int('created_at').notNull(),
      },
      (t) => [d.uniqueIndex('template_project_id').on(t.projectId, t.templateId)],
    ),

    /** One version (tag) of a template: compiled output. */
    specification: d.table(
      'specification',
      {
        uid: d.text('uid').primaryKey(),
        id: d.int('id').notNull(),
        templateUid: d.text('template_uid').notNull(),
        tag: d.text('tag').notNull(),
        description: d.text('description'),
        technology: d.text('technology').notNull(),
        language: d.text('language'),
        compilerVersion: d.text('compiler_version'),
        /** compilationSpecification: JSON as given. */
        compilation: d.text('compilation').notNull(),
        status: d.text('status').notNull(),
        /** Normalised interface text. */
        interface: d.text('interface').notNull(),
        /** Creation code, `0x` hex. */
        code: d.text('code').notNull(),
        /** SHA-256 of the code and interface, hex. */
        checksum: d.text('checksum').notNull(),
        createdAt: d.int('created_at').notNull(),
        updatedAt: d.int('updated_at').notNull(),
      },
      (t) => [d.uniqueIndex('specification_tag').on(t.templateUid, t.tag)],
    ),
  };
}
