"""The Train page: experiments whose curves grow while they run."""
