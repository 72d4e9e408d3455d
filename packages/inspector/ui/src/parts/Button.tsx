import type { ReactNode } from 'react';
import {
  Button as AriaButton,
  type ButtonProps as AriaProps,
  ToggleButton as AriaToggle,
  type ToggleButtonProps as AriaToggleProps,
  Tooltip,
  TooltipTrigger,
} from 'react-aria-components';
import { classes } from './classes.ts';
import css from './button.module.css';
import tip from './tooltip.module.css';

interface Look {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly small?: boolean;
}

interface Busy {
  /** Its action is running: it ignores presses, but keeps the focus, which a disabled button would lose. */
  readonly isBusy?: boolean | undefined;
}

function busyProps({ isBusy, onPress }: Busy & Pick<AriaProps, 'onPress'>): AriaProps {
  return isBusy === true ? { 'aria-disabled': true } : { onPress };
}

export interface ButtonProps extends Omit<AriaProps, 'className' | 'children' | 'style'>, Look, Busy {
  readonly children: ReactNode;
}

function classOf({ look = 'plain', small = false }: Look, icon = false): string {
  return classes(
    css.button,
    look === 'primary' && css.primary,
    look === 'quiet' && css.quiet,
    look === 'danger' && css.danger,
    small && css.small,
    icon && css.icon,
  );
}

export function Button({ look, small, isBusy, onPress, children, ...rest }: ButtonProps): ReactNode {
  return (
    <AriaButton {...rest} {...busyProps({ isBusy, onPress })} className={classOf({ look, small })}>
      {children}
    </AriaButton>
  );
}

export interface IconButtonProps
  extends Omit<AriaProps, 'className' | 'children' | 'style' | 'aria-label'>, Look, Busy {
  /** Announced by screen readers, and shown as a tooltip. */
  readonly label: string;
  readonly children: ReactNode;
}

export function IconButton({
  label,
  look = 'quiet',
  small,
  isBusy,
  onPress,
  children,
  ...rest
}: IconButtonProps): ReactNode {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton
        {...rest}
        {...busyProps({ isBusy, onPress })}
        aria-label={label}
        className={classOf({ look, small }, true)}
      >
        {children}
      </AriaButton>
      <Tooltip className={tip.tooltip!} offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}

export interface ToggleProps extends Omit<AriaToggleProps, 'className' | 'children' | 'style'>, Look {
  readonly children: ReactNode;
}

export function Toggle({ look, small, children, ...rest }: ToggleProps): ReactNode {
  return (
    <AriaToggle {...rest} className={({ isSelected }) => classes(classOf({ look, small }), isSelected && css.on)}>
      {children}
    </AriaToggle>
  );
}

export function Keys({ keys }: { readonly keys: string }): ReactNode {
  return (
    <kbd className={css.kbd} aria-hidden="true">
      {keys}
    </kbd>
  );
}
