import { Component, type ReactNode } from "react";
import { Broken } from "./lost";

interface Props {
  /** The address: whoever leaves a broken screen is shown the next one. */
  place: string;
  children: ReactNode;
}

interface State {
  failure: { error: unknown } | null;
}

/** Keeps what fails in a screen, while it is loaded or drawn, from the rest of the app. */
export class Boundary extends Component<Props, State> {
  override state: State = { failure: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } };
  }

  override componentDidUpdate(before: Props): void {
    if (before.place !== this.props.place && this.state.failure !== null) this.setState({ failure: null });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === null ? this.props.children : <Broken error={failure.error} />;
  }
}
