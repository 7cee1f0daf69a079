import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type Template, templatesQuery } from '../api/templates.ts';
import { Button } from '../ui/button.tsx';
import { type Column, Named } from '../ui/data-table.tsx';
import { Empty, PageHead, RecordLink } from '../ui/layout.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { Records } from '../ui/records.tsx';
import { NewVersion } from './templates/new-version.tsx';

const columns: Column<Template>[] = [
  {
    id: 'name',
    header: 'Template',
    cell: (one) => (
      <Named details={one.description}>
        <RecordLink to="/templates/$templateId" params={{ templateId: one.templateId }}>
          {one.name}
        </RecordLink>
      </Named>
    ),
  },
  {
    id: 'templateId',
    header: 'Id',
    cell: (one) => <span className="wrap-anywhere">{one.templateId}</span>,
  },
];

export function Templates() {
  const list = useQuery(templatesQuery());
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead
        title="Templates"
        about="The versioned code of contracts to deploy. A deployed contract is registered automatically."
      >
        <Permitted permission="smart-contract-template:create">
          <Button look="primary" onClick={() => setAdding(true)}>
            New template
          </Button>
        </Permitted>
      </PageHead>
      <Records
        label="Templates"
        list={list}
        columns={columns}
        rowId={({ templateId }) => templateId}
        empty={
          <Empty title="No templates yet">
            Add the sources of a contract, or your compiler’s output, and deploy it from here.
          </Empty>
        }
      />
      {isAdding ? (
        <NewVersion
          done={(templateId) => void navigate({ to: '/templates/$templateId', params: { templateId } })}
          close={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}
