"""How a proposal is done or turned down."""
