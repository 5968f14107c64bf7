"""What figures are made of: style, lettering, layout and wording. No module here is a figure."""
