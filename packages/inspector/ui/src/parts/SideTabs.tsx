import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import css from './tabs.module.css';

export interface SideTab {
  readonly id: string;
  readonly title: ReactNode;
  readonly body: ReactNode;
}

/** Tabs over one object. Only the selected one is rendered. Fills its container. */
export function SideTabs({
  label,
  tabs,
  chosen,
  onChoose,
  aside,
}: {
  readonly label: string;
  readonly tabs: readonly SideTab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  /** Content at the end of the tab row. */
  readonly aside?: ReactNode;
}): ReactNode {
  return (
    <Tabs
      className={css.tabs!}
      selectedKey={tabs.some(({ id }) => id === chosen) ? chosen : (tabs[0]?.id ?? '')}
      onSelectionChange={(key) => onChoose(String(key))}
      keyboardActivation="automatic"
    >
      <div className={css.bar}>
        <TabList className={css.list!} aria-label={label}>
          {tabs.map(({ id, title }) => (
            <Tab key={id} id={id} className={css.tab!}>
              {title}
            </Tab>
          ))}
        </TabList>
        {aside}
      </div>
      {tabs.map(({ id, body }) => (
        <TabPanel key={id} id={id} className={css.panel!}>
          {body}
        </TabPanel>
      ))}
    </Tabs>
  );
}
